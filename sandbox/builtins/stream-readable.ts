import { Buffer } from './buffer.js';
import { iterate, makeSource } from './stream-iteration.js';
import { advance, sizeOf, takeChunk } from './stream-reading.js';
import { readState } from './stream-states.js';
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
    const next = makeSource(source);
    return new Readable({
      objectMode: true,
      ...options,
      read(this: ReadableStream): void {
        next().then(
          ({ done, value }) => this.push(done === true ? null : value),
          (error: unknown) => this.destroy(error),
        );
      },
    });
  }

  get readableLength(): number {
    return readState(this).chunks.reduce<number>((sum, chunk) => sum + sizeOf(this, chunk), 0);
  }

  _read(_size: number): void {}

  setEncoding(encoding: string): this {
    const decoder = new StringDecoder(encoding);
    readState(this).decoder = decoder;
    this.readableEncoding = decoder.encoding;
    return this;
  }

  push(chunk: unknown, encoding?: string): boolean {
    const state = readState(this);
    state.isAsked = false;
    if (chunk === null) {
      const rest = state.isComplete ? '' : (state.decoder?.end() ?? '');
      state.isComplete = true;
      if (rest !== '') state.chunks.push(rest);
    } else {
      const encodes = !this.readableObjectMode && typeof chunk === 'string';
      const bytes = encodes ? Buffer.from(chunk, encoding) : chunk;
      const decodes = state.decoder !== undefined && bytes instanceof Uint8Array;
      const decoded = decodes ? state.decoder?.write(bytes) : bytes;
      if (this.readableObjectMode || sizeOf(this, decoded) > 0) state.chunks.push(decoded);
    }
    soon(() => advance(this));
    return !state.isComplete && this.readableLength < this.readableHighWaterMark;
  }

  unshift(chunk: unknown): void {
    readState(this).chunks.unshift(chunk);
  }

  read(size?: number): unknown {
    const state = readState(this);
    this.readableFlowing ??= false;
    const chunk = takeChunk(this, size);
    if (chunk !== null && !this.readableObjectMode) this.emit('data', chunk);
    if (state.isComplete || state.isAsked) soon(() => advance(this));
    else {
      state.isAsked = true;
      this._read(this.readableHighWaterMark);
    }
    return chunk;
  }

  override on(name: string | symbol, listener: (...args: unknown[]) => void): this {
    super.on(name, listener);
    if (name === 'data' && this.readableFlowing !== false) this.resume();
    if (name === 'readable') soon(() => advance(this));
    return this;
  }

  resume(): this {
    this.readableFlowing = true;
    soon(() => advance(this));
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
    const { sinks } = readState(this);
    sinks.add(to);
    this.on('data', (chunk) => {
      if (!sinks.has(to) || to.write(chunk)) return;
      this.pause();
      to.once('drain', () => this.resume());
    });
    if (options?.end !== false) this.once('end', () => sinks.has(to) && to.end());
    to.emit('pipe', this);
    return to;
  }

  unpipe(from?: Sink): this {
    if (from === undefined) readState(this).sinks.clear();
    else readState(this).sinks.delete(from);
    return this;
  }

  [Symbol.asyncIterator](): AsyncGenerator {
    return iterate(this);
  }
}

export const Readable: typeof ReadableStream = callable(ReadableStream);
