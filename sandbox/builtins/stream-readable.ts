import { Buffer } from './buffer.js';
import { adopt, callable, soon, StreamBase, type StreamOptions } from './stream-base.js';
import { StringDecoder } from './string-decoder.js';

export interface ReadableOptions extends StreamOptions {
  readonly encoding?: string;
  readonly read?: (size: number) => void;
}

/** Where a readable stream's chunks go. */
interface Sink {
  write(chunk: unknown): boolean;
  end(): void;
  once(name: string, listener: () => void): unknown;
  emit(name: string, ...args: unknown[]): boolean;
}

class ReadableStream extends StreamBase {
  readable = true;
  readableEnded = false;
  readableFlowing: boolean | null = null;
  readableObjectMode: boolean;
  readableHighWaterMark: number;
  readableEncoding: string | null = null;
  chunks: unknown[] = [];
  sourceEnded = false;
  reading = false;
  decoder: StringDecoder | undefined;
  pipes: Sink[] = [];

  constructor(options?: ReadableOptions) {
    super();
    this.readableObjectMode = options?.objectMode === true;
    this.readableHighWaterMark = options?.highWaterMark ?? (this.readableObjectMode ? 16 : 65_536);
    if (options?.encoding !== undefined) this.setEncoding(options.encoding);
    adopt(this, options, ['read', 'destroy']);
  }

  static from(
    source: AsyncIterable<unknown> | Iterable<unknown>,
    options?: ReadableOptions,
  ): ReadableStream {
    const items: AsyncIterator<unknown> | Iterator<unknown> =
      typeof source === 'string'
        ? [source][Symbol.iterator]()
        : Symbol.asyncIterator in source
          ? source[Symbol.asyncIterator]()
          : source[Symbol.iterator]();
    return new Readable({
      objectMode: true,
      ...options,
      read(this: ReadableStream): void {
        Promise.resolve(items.next()).then(
          ({ done, value }) => this.push(done === true ? null : value),
          (error: unknown) => this.destroy(error),
        );
      },
    });
  }

  get readableLength(): number {
    return this.chunks.reduce<number>((sum, chunk) => sum + this.sizeOf(chunk), 0);
  }

  sizeOf(chunk: unknown): number {
    return this.readableObjectMode ? 1 : Number(Reflect.get(Object(chunk), 'length'));
  }

  _read(_size: number): void {}

  setEncoding(encoding: string): this {
    this.decoder = new StringDecoder(encoding);
    this.readableEncoding = this.decoder.encoding;
    return this;
  }

  push(chunk: unknown, encoding?: string): boolean {
    this.reading = false;
    if (chunk === null) {
      const rest = this.sourceEnded ? '' : (this.decoder?.end() ?? '');
      this.sourceEnded = true;
      if (rest !== '') this.chunks.push(rest);
    } else {
      const bytes =
        this.readableObjectMode || typeof chunk !== 'string' ? chunk : Buffer.from(chunk, encoding);
      const decoded =
        this.decoder !== undefined && bytes instanceof Uint8Array
          ? this.decoder.write(bytes)
          : bytes;
      if (this.readableObjectMode || this.sizeOf(decoded) > 0) this.chunks.push(decoded);
    }
    soon(() => this.advance());
    return !this.sourceEnded && this.readableLength < this.readableHighWaterMark;
  }

  unshift(chunk: unknown): void {
    this.chunks.unshift(chunk);
  }

  /** Hands on what is there, asks for more, and says when there is no more. */
  advance(): void {
    if (this.destroyed && !this.sourceEnded) return;
    if (this.readableFlowing === true) {
      while (this.readableFlowing && this.chunks.length > 0) this.emit('data', this.chunks.shift());
    } else if (this.chunks.length > 0 || this.sourceEnded) this.emit('readable');
    if (this.sourceEnded) {
      if (this.chunks.length === 0 && !this.readableEnded && this.readableFlowing !== null)
        this.finishReading();
    } else if (
      !this.reading &&
      this.readableFlowing !== false &&
      this.readableLength < this.readableHighWaterMark
    ) {
      this.reading = true;
      this._read(this.readableHighWaterMark);
    }
  }

  finishReading(): void {
    this.readableEnded = true;
    this.readable = false;
    this.emit('end');
    this.destroyWhenDone();
  }

  destroyWhenDone(): void {
    this.destroy();
  }

  read(size?: number): unknown {
    this.readableFlowing ??= false;
    const chunk = this.takeChunk(size);
    if (chunk !== null && !this.readableObjectMode) this.emit('data', chunk);
    if (!this.sourceEnded && !this.reading) {
      this.reading = true;
      this._read(this.readableHighWaterMark);
    } else soon(() => this.advance());
    return chunk;
  }

  takeChunk(size: number | undefined): unknown {
    if (this.chunks.length === 0) return null;
    if (this.readableObjectMode) return this.chunks.shift();
    const all =
      this.decoder === undefined
        ? Buffer.concat(this.chunks.filter((chunk) => chunk instanceof Uint8Array))
        : this.chunks.join('');
    if (size !== undefined && size > all.length && !this.sourceEnded) return null;
    const end = size ?? all.length;
    this.chunks = end < all.length ? [all.slice(end)] : [];
    return all.slice(0, end);
  }

  override on(name: string | symbol, listener: (...args: unknown[]) => void): this {
    super.on(name, listener);
    if (name === 'data' && this.readableFlowing !== false) this.resume();
    if (name === 'readable') soon(() => this.advance());
    return this;
  }

  resume(): this {
    this.readableFlowing = true;
    soon(() => this.advance());
    return this;
  }

  pause(): this {
    this.readableFlowing = false;
    return this;
  }

  isPaused(): boolean {
    return this.readableFlowing === false;
  }

  pipe<To extends Sink>(to: To, options?: { readonly end?: boolean }): To {
    this.pipes.push(to);
    this.on('data', (chunk) => {
      if (!this.pipes.includes(to) || to.write(chunk)) return;
      this.pause();
      to.once('drain', () => this.resume());
    });
    if (options?.end !== false) this.once('end', () => this.pipes.includes(to) && to.end());
    to.emit('pipe', this);
    return to;
  }

  unpipe(from?: Sink): this {
    this.pipes = from === undefined ? [] : this.pipes.filter((to) => to !== from);
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    let wake: () => void = () => undefined;
    const items: unknown[] = [];
    const stir = (): void => wake();
    this.on('data', (chunk) => {
      items.push(chunk);
      this.pause();
      wake();
    });
    this.once('end', stir).once('error', stir).once('close', stir);
    for (;;) {
      if (items.length > 0) yield items.shift();
      else if (this.errored !== null) throw this.errored;
      else if (this.readableEnded || this.closed) return;
      else {
        const waiting = new Promise<void>((resolve) => {
          wake = resolve;
        });
        this.resume();
        await waiting;
      }
    }
  }
}

export const Readable: typeof ReadableStream = callable(ReadableStream);
