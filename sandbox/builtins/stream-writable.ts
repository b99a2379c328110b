import { Buffer } from './buffer.js';
import { adopt, callable, soon, StreamBase, type Done, type StreamOptions } from './stream-base.js';

export interface WritableOptions extends StreamOptions {
  readonly decodeStrings?: boolean;
  readonly defaultEncoding?: string;
  readonly write?: (chunk: unknown, encoding: string, done: Done) => void;
  readonly final?: (done: Done) => void;
}

interface Waiting {
  readonly chunk: unknown;
  readonly encoding: string;
  readonly done: Done | undefined;
}

class WritableStream extends StreamBase {
  writable = true;
  writableEnded = false;
  writableFinished = false;
  writableNeedDrain = false;
  writableObjectMode: boolean;
  writableHighWaterMark: number;
  decodesStrings: boolean;
  waiting: Waiting[] = [];
  isWriting = false;

  constructor(options?: WritableOptions) {
    super();
    this.writableObjectMode = options?.objectMode === true;
    this.writableHighWaterMark = options?.highWaterMark ?? (this.writableObjectMode ? 16 : 65_536);
    this.decodesStrings = options?.decodeStrings !== false;
    adopt(this, options, ['write', 'writev', 'final', 'destroy']);
  }

  get writableLength(): number {
    return this.waiting.reduce(
      (sum, { chunk }) =>
        sum + (this.writableObjectMode ? 1 : Number(Reflect.get(Object(chunk), 'length'))),
      0,
    );
  }

  _write(_chunk: unknown, _encoding: string, done: Done): void {
    done(
      Object.assign(new Error('The _write() method is not implemented'), {
        code: 'ERR_METHOD_NOT_IMPLEMENTED',
      }),
    );
  }

  _final(done: Done): void {
    done();
  }

  write(chunk: unknown, encodingOrDone?: string | Done, done?: Done): boolean {
    const encoding = typeof encodingOrDone === 'string' ? encodingOrDone : 'utf8';
    const callback = typeof encodingOrDone === 'function' ? encodingOrDone : done;
    if (this.writableEnded) {
      const error = Object.assign(new Error('write after end'), {
        code: 'ERR_STREAM_WRITE_AFTER_END',
      });
      soon(() => callback?.(error));
      this.destroy(error);
      return false;
    }
    const encodes = typeof chunk === 'string' && this.decodesStrings && !this.writableObjectMode;
    this.waiting.push({
      chunk: encodes ? Buffer.from(chunk, encoding) : chunk,
      encoding: encodes ? 'buffer' : encoding,
      done: callback,
    });
    const hasRoom = this.writableLength < this.writableHighWaterMark;
    if (!hasRoom) this.writableNeedDrain = true;
    this.writeNext();
    return hasRoom;
  }

  writeNext(): void {
    if (this.isWriting || this.destroyed) return;
    const next = this.waiting[0];
    if (next === undefined) {
      if (this.writableNeedDrain && !this.writableEnded) {
        this.writableNeedDrain = false;
        this.emit('drain');
      }
      this.finishWriting();
      return;
    }
    this.isWriting = true;
    this._write(next.chunk, next.encoding, (error) => {
      this.waiting.shift();
      this.isWriting = false;
      soon(() => {
        next.done?.(error);
        if (error !== undefined && error !== null) this.destroy(error);
        else this.writeNext();
      });
    });
  }

  end(chunkOrDone?: unknown, encodingOrDone?: string | Done, done?: Done): this {
    const callback = [chunkOrDone, encodingOrDone, done].find(
      (value) => typeof value === 'function',
    );
    if (typeof chunkOrDone !== 'function' && chunkOrDone !== undefined && chunkOrDone !== null) {
      this.write(chunkOrDone, typeof encodingOrDone === 'string' ? encodingOrDone : 'utf8');
    }
    if (typeof callback === 'function') this.once('finish', () => callback());
    this.writableEnded = true;
    soon(() => this.writeNext());
    return this;
  }

  finishWriting(): void {
    if (!this.writableEnded || this.writableFinished || this.isWriting) return;
    this.writableFinished = true;
    this.writable = false;
    this._final((error) => {
      soon(() => {
        if (error !== undefined && error !== null) {
          this.destroy(error);
          return;
        }
        this.emit('finish');
        this.destroyWhenDone();
      });
    });
  }

  destroyWhenDone(): void {
    this.destroy();
  }

  cork(): void {}
  uncork(): void {}

  setDefaultEncoding(): this {
    return this;
  }
}

export const Writable: typeof WritableStream = callable(WritableStream);
