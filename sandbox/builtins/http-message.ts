import { Buffer } from './buffer.js';
import { Socket } from './net.js';
import { Readable } from './stream.js';

/** What a message uses of a `Response`. */
export interface FetchedResponse {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
      cancel(why?: unknown): Promise<void>;
    };
  } | null;
}

/** The socket of a request, which does not exist: libraries set its options and listen to it. */
export class AbsentSocket extends Socket {
  readonly encrypted: boolean;
  readonly authorized = true;

  constructor(encrypted: boolean) {
    super({});
    this.encrypted = encrypted;
  }
}

/** Headers about the transfer, which is done: the body is decoded and its length may differ. */
const OF_TRANSFER: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
]);

type Reader = ReturnType<NonNullable<FetchedResponse['body']>['getReader']>;

/** The answer to a request: a stream of its body. */
export class IncomingMessage extends Readable {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly headers: Record<string, string | string[]> = {};
  readonly rawHeaders: string[] = [];
  readonly trailers = {};
  readonly rawTrailers: string[] = [];
  readonly socket: AbsentSocket;
  readonly connection: AbsentSocket;
  readonly url = '';
  aborted = false;
  complete = false;
  readonly #reader: Reader | undefined;

  constructor(response: FetchedResponse, socket: AbsentSocket) {
    super();
    this.statusCode = response.status;
    this.statusMessage = response.statusText;
    this.socket = socket;
    this.connection = socket;
    const headers = [...response.headers];
    const isEncoded = headers.some(([name]) => name === 'content-encoding');
    for (const [name, value] of headers) {
      if (isEncoded && OF_TRANSFER.has(name)) continue;
      this.rawHeaders.push(name, value);
      const before = this.headers[name];
      if (name === 'set-cookie') {
        this.headers[name] = [...(Array.isArray(before) ? before : []), value];
      } else this.headers[name] = before === undefined ? value : `${String(before)}, ${value}`;
    }
    this.#reader = response.body?.getReader();
  }

  override _read(): void {
    if (this.#reader === undefined) {
      this.#end();
      return;
    }
    this.#reader.read().then(
      ({ done, value }) => {
        if (done || value === undefined) this.#end();
        else this.push(Buffer.from(value));
      },
      (error: unknown) => this.destroy(error),
    );
  }

  override _destroy(error: unknown, done: (error?: unknown) => void): void {
    if (!this.complete) {
      this.aborted = true;
      void this.#reader?.cancel().catch(() => undefined);
    }
    done(error);
  }

  setTimeout(): this {
    return this;
  }

  #end(): void {
    this.complete = true;
    this.push(null);
  }
}
