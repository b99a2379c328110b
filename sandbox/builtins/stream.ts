import { offer } from './denied.js';
import { EventEmitter } from './events.js';
import { adopt, callable, soon, StreamBase, type Done } from './stream-base.js';
import { finished, pipeline, promises } from './stream-ends.js';
import { Readable, type ReadableOptions } from './stream-readable.js';
import { takeOver } from './stream-states.js';
import { Writable, type WritableOptions } from './stream-writable.js';

interface DuplexOptions extends ReadableOptions, WritableOptions {
  readonly readableObjectMode?: boolean;
  readonly writableObjectMode?: boolean;
  readonly transform?: (chunk: unknown, encoding: string, done: TransformDone) => void;
  readonly flush?: (done: TransformDone) => void;
}

type TransformDone = (error?: unknown, chunk?: unknown) => void;

class DuplexStream extends Readable {
  constructor(options?: DuplexOptions) {
    super({ ...options, objectMode: options?.readableObjectMode ?? options?.objectMode === true });
    const half = new Writable({
      ...options,
      objectMode: options?.writableObjectMode ?? options?.objectMode === true,
    });
    // The other half's fields; what both have (`destroyed`, …) is the readable half's.
    takeOver(half, this);
    adopt(this, options, ['write', 'final', 'destroy', 'transform', 'flush']);
  }
}

for (const [name, property] of Object.entries(
  Object.getOwnPropertyDescriptors(Writable.prototype),
)) {
  if (name !== 'constructor') {
    Object.defineProperty(DuplexStream.prototype, name, property);
  }
}

const Duplex: typeof DuplexStream = callable(DuplexStream);

class TransformStream extends Duplex {
  _transform(_chunk: unknown, _encoding: string, done: TransformDone): void {
    done(new Error('The _transform() method is not implemented'));
  }

  _flush(done: TransformDone): void {
    done();
  }

  _write(chunk: unknown, encoding: string, done: Done): void {
    this._transform(chunk, encoding, (error, made) => {
      if (error === undefined || error === null) {
        if (made !== undefined && made !== null) this.push(made);
      }
      done(error);
    });
  }

  _final(done: Done): void {
    this._flush((error, made) => {
      if (made !== undefined && made !== null) this.push(made);
      if (error === undefined || error === null) this.push(null);
      done(error);
    });
  }
}

const Transform: typeof TransformStream = callable(TransformStream);

class PassThroughStream extends Transform {
  override _transform(chunk: unknown, _encoding: string, done: TransformDone): void {
    done(null, chunk);
  }
}

/** The oldest kind of stream: an emitter that passes its `data` on. */
class Stream extends StreamBase {
  pipe<To extends InstanceType<typeof Writable>>(to: To): To {
    this.on('data', (chunk) => to.write(chunk));
    this.on('end', () => to.end());
    soon(() => to.emit('pipe', this));
    return to;
  }
}

const LegacyStream: typeof Stream = callable(Stream);

export const builtin: object = offer(
  'stream',
  Object.assign(LegacyStream, {
    Stream: LegacyStream,
    Readable,
    Writable,
    Duplex,
    Transform,
    PassThrough: callable(PassThroughStream),
    EventEmitter,
    pipeline,
    finished,
    promises,
    getDefaultHighWaterMark: (objectMode: boolean): number => (objectMode ? 16 : 65_536),
  }),
);
