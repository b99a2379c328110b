import { Buffer } from './buffer.js';
import { option, toPath } from './fs-arguments.js';
import { waiting } from './fs-promises.js';
import { Readable, Writable } from './stream.js';

/** Bytes of one chunk, as in Node. */
const CHUNK = 65_536;

/** `fs.createReadStream`. The file is read as a whole, when the stream is first read. */
export class ReadStream extends Readable {
  readonly path: string;
  bytesRead = 0;
  readonly #start: number;
  readonly #end: number;
  #content: Promise<Buffer> | undefined;

  constructor(path: unknown, options?: unknown) {
    super({ encoding: typeof options === 'string' ? options : option(options, 'encoding') });
    this.path = toPath(path);
    const [start, end] = [option(options, 'start'), option(options, 'end')];
    this.#start = typeof start === 'number' ? start : 0;
    // The last byte belongs to the range.
    this.#end = typeof end === 'number' ? end + 1 : Infinity;
  }

  override _read(): void {
    this.#content ??= read(this.path);
    this.#content.then(
      (content) => {
        const at = this.#start + this.bytesRead;
        const chunk = content.subarray(at, Math.min(at + CHUNK, this.#end));
        this.bytesRead += chunk.length;
        this.push(chunk.length === 0 ? null : Buffer.from(chunk));
      },
      (error: unknown) => this.destroy(error),
    );
  }

  close(done?: () => void): void {
    if (done !== undefined) this.once('close', done);
    this.destroy();
  }
}

/** `fs.createWriteStream`. The file is written as a whole, when the stream ends. */
export class WriteStream extends Writable {
  readonly path: string;
  bytesWritten = 0;
  readonly #flag: unknown;
  readonly #chunks: Buffer[] = [];

  constructor(path: unknown, options?: unknown) {
    super();
    this.path = toPath(path);
    this.#flag = option(options, 'flags');
  }

  override _write(chunk: unknown, encoding: string, done: (error?: unknown) => void): void {
    const bytes =
      chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk), encoding);
    this.#chunks.push(bytes);
    this.bytesWritten += bytes.length;
    done();
  }

  override _final(done: (error?: unknown) => void): void {
    const write = waiting['writeFile'];
    write?.(this.path, Buffer.concat(this.#chunks), { flag: this.#flag ?? 'w' }).then(
      () => done(),
      (error: unknown) => done(error),
    );
  }

  close(done?: () => void): void {
    if (done !== undefined) this.once('close', done);
    this.end();
  }
}

async function read(path: string): Promise<Buffer> {
  const content: unknown = await waiting['readFile']?.(path);
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.from(String(content));
}
