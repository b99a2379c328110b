import { Buffer } from './buffer.js';
import { adopt, callable, soon, StreamBase, type Done, type StreamOptions } from './stream-base.js';
import { writeState } from './stream-states.js';
import { writeNext } from './stream-writing.js';

export interface WritableOptions extends StreamOptions {
  readonly decodeStrings?: boolean;
  readonly defaultEncoding?: string;
  readonly write?: (chunk: unknown, encoding: string, done: Done) => void;
  readonly final?: (done: Done) => void;
}

class WritableStream extends StreamBase {
  writable = true;
  writableEnded = false;
  writableFinished = false;
  writableNeedDrain = false;
  writableObjectMode: boolean;
  writableHighWaterMark: number;

  constructor(options?: WritableOptions) {
    super();
    writeState(this).decodesStrings = options?.decodeStrings !== false;
    this.writableObjectMode = options?.objectMode === true;
    this.writableHighWaterMark = options?.highWaterMark ?? (this.writableObjectMode ? 16 : 65_536);
    adopt(this, options, ['write', 'writev', 'final', 'destroy']);
  }

  get writableLength(): number {
    const sizeOf = (chunk: unknown): number =>
      this.writableObjectMode ? 1 : Number(Reflect.get(Object(chunk), 'length'));
    return writeState(this).waiting.reduce((sum, { chunk }) => sum + sizeOf(chunk), 0);
  }

  _write(_chunk: unknown, _encoding: string, done: Done): void {
    const error = new Error('The _write() method is not implemented');
    done(Object.assign(error, { code: 'ERR_METHOD_NOT_IMPLEMENTED' }));
  }

  _final(done: Done): void {
    done();
  }

  write(chunk: unknown, encodingOrDone?: string | Done, done?: Done): boolean {
    const encoding = typeof encodingOrDone === 'string' ? encodingOrDone : 'utf8';
    const callback = typeof encodingOrDone === 'function' ? encodingOrDone : done;
    if (this.writableEnded) return refuseLate(this, callback);
    const { waiting, decodesStrings } = writeState(this);
    const encodes = typeof chunk === 'string' && decodesStrings && !this.writableObjectMode;
    waiting.push({
      chunk: encodes ? Buffer.from(chunk, encoding) : chunk,
      encoding: encodes ? 'buffer' : encoding,
      done: callback,
    });
    const hasRoom = this.writableLength < this.writableHighWaterMark;
    if (!hasRoom) this.writableNeedDrain = true;
    writeNext(this);
    return hasRoom;
  }

  end(chunkOrDone?: unknown, encodingOrDone?: string | Done, done?: Done): this {
    const given = [chunkOrDone, encodingOrDone, done];
    const callback = given.find((value) => typeof value === 'function');
    if (typeof chunkOrDone !== 'function' && chunkOrDone !== undefined && chunkOrDone !== null) {
      this.write(chunkOrDone, typeof encodingOrDone === 'string' ? encodingOrDone : 'utf8');
    }
    if (typeof callback === 'function') this.once('finish', () => callback());
    this.writableEnded = true;
    soon(() => writeNext(this));
    return this;
  }

  cork(): void {}
  uncork(): void {}

  setDefaultEncoding(): this {
    return this;
  }
}

export const Writable: typeof WritableStream = callable(WritableStream);

function refuseLate(stream: StreamBase, callback: Done | undefined): false {
  const error = Object.assign(new Error('write after end'), { code: 'ERR_STREAM_WRITE_AFTER_END' });
  soon(() => callback?.(error));
  stream.destroy(error);
  return false;
}
