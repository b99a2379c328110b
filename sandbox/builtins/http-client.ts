import { Buffer } from './buffer.js';
import { always, compartmentGlobal, type UrlLike } from './compartment-globals.js';
import { denial, refusal } from './denied.js';
import { AbsentSocket, type FetchedResponse, IncomingMessage } from './http-message.js';
import { Writable } from './stream.js';

type Options = Readonly<Record<string, unknown>>;

/** `http.request(url, options, listener)`, with each part optional. The listener gets the answer. */
export function makeRequest(protocol: 'http:' | 'https:'): (...args: unknown[]) => ClientRequest {
  return (...args) => {
    // Without the permission there is no `fetch`.
    if (compartmentGlobal('fetch') === undefined) throw refusal(protocol.slice(0, -1), 'request');
    const listener = typeof args.at(-1) === 'function' ? args.pop() : undefined;
    const [first, second] = args;
    const address = isUrl(first) ? first.href : first;
    const isAddress = typeof address === 'string';
    const options = toOptions(isAddress ? second : first);
    const base = isAddress ? toOptions(new (always('URL'))(address)) : {};
    const request = new ClientRequest({ protocol, ...base, ...options });
    if (typeof listener === 'function') {
      request.once('response', (...got: unknown[]) => Reflect.apply(listener, request, got));
    }
    return request;
  };
}

/** A request of `node:http`, over the compartment's `fetch`. Redirects are not followed, as in Node. */
export class ClientRequest extends Writable {
  readonly method: string;
  readonly protocol: string;
  readonly host: string;
  readonly path: string;
  readonly socket: AbsentSocket;
  readonly connection: AbsentSocket;
  readonly reusedSocket = false;
  readonly maxHeadersCount = 2000;
  aborted = false;
  readonly #url: string;
  readonly #headers = new Map<string, { readonly name: string; readonly value: unknown }>();
  readonly #chunks: Buffer[] = [];
  readonly #abort: AbortLike;
  #timer: unknown;
  #answered = false;

  constructor(options: Options) {
    // It lives until its answer has arrived, not until it is sent.
    super({ autoDestroy: false, emitClose: false });
    const { method, headers, auth, timeout, signal } = options;
    this.protocol = textOf(options['protocol'], 'http:');
    this.method = textOf(method, 'GET').toUpperCase();
    this.host = textOf(options['hostname'] ?? options['host'], 'localhost');
    this.path = textOf(options['path'], '/');
    const port = options['port'];
    const hasPort = (typeof port === 'number' || typeof port === 'string') && port !== '';
    const name =
      this.host.includes(':') && !this.host.startsWith('[') ? `[${this.host}]` : this.host;
    this.#url = `${this.protocol}//${name}${hasPort ? `:${port}` : ''}${this.path}`;
    this.socket = new AbsentSocket(this.protocol === 'https:');
    this.connection = this.socket;
    this.#abort = makeAbort();
    if (typeof options['socketPath'] === 'string') {
      throw denial('NETWORK_DENIED', 'http.request: a socket in the filesystem is not reached.');
    }
    if (Array.isArray(headers)) {
      for (let at = 0; at + 1 < headers.length; at += 2) {
        this.setHeader(String(headers[at]), headers[at + 1]);
      }
    } else {
      for (const [key, value] of Object.entries(toOptions(headers))) this.setHeader(key, value);
    }
    if (typeof auth === 'string' && !this.hasHeader('authorization')) {
      this.setHeader('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
    }
    if (typeof timeout === 'number') this.setTimeout(timeout);
    if (isSignal(signal)) {
      const stop = (): void => void this.destroy(signal.reason);
      if (signal.aborted) always('queueMicrotask')(stop);
      else signal.addEventListener('abort', stop);
    }
    always('queueMicrotask')(() => {
      this.emit('socket', this.socket);
      this.socket.emit('connect');
      this.socket.emit('secureConnect');
    });
  }

  setHeader(name: string, value: unknown): this {
    if (value !== undefined) this.#headers.set(name.toLowerCase(), { name, value });
    return this;
  }
  getHeader(name: string): unknown {
    return this.#headers.get(name.toLowerCase())?.value;
  }
  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }
  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }
  getHeaders(): object {
    return Object.fromEntries([...this.#headers].map(([key, { value }]) => [key, value]));
  }
  getHeaderNames(): readonly string[] {
    return [...this.#headers.keys()];
  }
  getRawHeaderNames(): readonly string[] {
    return [...this.#headers.values()].map(({ name }) => name);
  }
  flushHeaders(): void {}
  setNoDelay(): void {}
  setSocketKeepAlive(): void {}

  /** Emits `timeout` if there is no answer within so many milliseconds. 0 removes the limit. */
  setTimeout(ms: number, listener?: () => void): this {
    if (listener !== undefined) this.once('timeout', listener);
    compartmentGlobal('clearTimeout')?.(this.#timer);
    if (ms > 0 && !this.#answered) {
      this.#timer = compartmentGlobal('setTimeout')?.(() => this.emit('timeout'), ms);
    }
    return this;
  }

  abort(): void {
    this.aborted = true;
    this.emit('abort');
    this.destroy();
  }

  override _write(chunk: unknown, encoding: string, done: (error?: unknown) => void): void {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : toBuffer(chunk));
    done();
  }

  override _final(done: (error?: unknown) => void): void {
    void this.#send();
    done();
  }

  override _destroy(error: unknown, done: (error?: unknown) => void): void {
    compartmentGlobal('clearTimeout')?.(this.#timer);
    this.#abort.abort();
    // A request that ends without an answer fails, as in Node.
    const unanswered = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    done(error ?? (this.#answered ? undefined : unanswered));
    always('queueMicrotask')(() => this.emit('close'));
  }

  async #send(): Promise<void> {
    try {
      const response = await this.#fetch();
      this.#answered = true;
      compartmentGlobal('clearTimeout')?.(this.#timer);
      const message = new IncomingMessage(response, this.socket);
      message.once('end', () => this.emit('close'));
      if (!this.emit('response', message)) message.resume();
    } catch (error) {
      this.destroy(error);
    }
  }

  async #fetch(): Promise<FetchedResponse> {
    const fetch = always('fetch');
    const hasBody = this.#chunks.length > 0 && this.method !== 'GET' && this.method !== 'HEAD';
    const answer: unknown = await fetch(this.#url, {
      method: this.method,
      headers: [...this.#headers.values()].flatMap(({ name, value }) =>
        OF_CONNECTION.has(name.toLowerCase())
          ? []
          : (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]),
      ),
      redirect: 'manual',
      signal: this.#abort.signal,
      ...(hasBody ? { body: Buffer.concat(this.#chunks) } : {}),
    });
    // The compartment's own `fetch` returns a `Response`.
    return answer as FetchedResponse;
  }
}

/** Headers that the host's connection has of its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

interface AbortLike {
  readonly signal: unknown;
  abort(): void;
}

function makeAbort(): AbortLike {
  const made: unknown = new (always('AbortController'))();
  return made as AbortLike;
}

function textOf(value: unknown, instead: string): string {
  return typeof value === 'string' && value !== '' ? value : instead;
}

function toBuffer(chunk: unknown): Buffer {
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk));
}

/** Options as they are written, or those of a URL. */
function toOptions(value: unknown): Options {
  if (typeof value !== 'object' || value === null) return {};
  if (!isUrl(value)) return { ...value };
  const { protocol, hostname, port, pathname, search, username, password } = value;
  return {
    protocol,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    path: `${pathname}${search}`,
    ...(username === ''
      ? {}
      : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
  };
}

function isUrl(value: unknown): value is UrlLike {
  return (
    typeof value === 'object' &&
    value !== null &&
    'href' in value &&
    'searchParams' in value &&
    typeof value.href === 'string'
  );
}

interface SignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
}

function isSignal(value: unknown): value is SignalLike {
  return typeof value === 'object' && value !== null && 'addEventListener' in value;
}
