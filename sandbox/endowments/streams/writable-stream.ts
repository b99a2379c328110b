import { type Brand, makeBrand } from '../brand.js';
import { isCallable, member, toOptions } from '../web-idl.js';
import {
  abortSink,
  acquireWriter,
  closeSink,
  failSink,
  makeSinkState,
  releaseWriter,
  roomOf,
  type Sink,
  type SinkState,
  startSink,
  write,
  type WriterState,
} from './sink-state.js';
import { readHighWaterMark, readMethod } from './sources.js';

export const sinks: Brand<SinkState> = makeBrand<SinkState>('WritableStream');

/** The web's `WritableStream`. Its controller has no `signal`. */
export class WritableStream {
  constructor(sink?: unknown, strategy?: unknown) {
    const given = toOptions(sink, 'sink of a stream');
    if (member(given, 'type') !== undefined) throw new RangeError('A sink has no type');
    const limits = toOptions(strategy, 'strategy of a stream');
    const begin = readMethod(given, 'start');
    const put = readMethod(given, 'write');
    const close = readMethod(given, 'close');
    const abort = readMethod(given, 'abort');
    const controller: object = Object.create(SinkController.prototype);
    const state = makeSinkState({
      write: (chunk) => put?.call(given, chunk, controller),
      close: () => close?.call(given),
      abort: (reason) => abort?.call(given, reason),
      highWaterMark: readHighWaterMark(member(limits, 'highWaterMark'), 1),
      sizeOf: readSize(limits),
    });
    sinks.give(this, state);
    controllers.give(controller, state);
    startSink(state, begin?.call(given, controller));
  }

  get locked(): boolean {
    return sinks.demand(this).writer !== undefined;
  }

  getWriter(): object {
    const writer: object = Object.create(StreamWriter.prototype);
    writers.give(writer, acquireWriter(sinks.demand(this)));
    return writer;
  }

  async abort(reason?: unknown): Promise<undefined> {
    return abortSink(unlocked(sinks.demand(this)), reason);
  }

  async close(): Promise<undefined> {
    return closeSink(unlocked(sinks.demand(this)));
  }

  get [Symbol.toStringTag](): string {
    return 'WritableStream';
  }
}

/** The `size` of a strategy. A chunk without one has size 1. */
export function readSize(strategy: object): (chunk: unknown) => number {
  const size = member(strategy, 'size');
  if (size === undefined) return () => 1;
  if (!isCallable(size)) throw new TypeError('The size of a strategy is not a function');
  return (chunk) => Number(size(chunk));
}

/** A stream with a sink of ours. */
export function makeWritable(sink: Sink): { readonly stream: object; readonly state: SinkState } {
  const state = makeSinkState(sink);
  const stream: object = Object.create(WritableStream.prototype);
  sinks.give(stream, state);
  return { stream, state };
}

function unlocked(state: SinkState): SinkState {
  if (state.writer !== undefined) throw new TypeError('The stream is locked to a writer');
  return state;
}

const controllers = makeBrand<SinkState>('WritableStreamDefaultController');

/** The controller of a sink. */
class SinkController {
  constructor() {
    throw new TypeError('A controller comes with a stream');
  }

  error(reason?: unknown): void {
    failSink(controllers.demand(this), reason);
  }

  get [Symbol.toStringTag](): string {
    return 'WritableStreamDefaultController';
  }
}

const writers = makeBrand<WriterState>('WritableStreamDefaultWriter');

/** The result of `getWriter`. */
class StreamWriter {
  constructor() {
    throw new TypeError('A writer comes from a stream');
  }

  get closed(): Promise<undefined> {
    return writers.demand(this).closed.promise;
  }
  get ready(): Promise<undefined> {
    return writers.demand(this).ready.promise;
  }
  get desiredSize(): number | null {
    return roomOf(streamOf(writers.demand(this)));
  }

  async write(chunk?: unknown): Promise<undefined> {
    return write(streamOf(writers.demand(this)), chunk);
  }

  async close(): Promise<undefined> {
    return closeSink(streamOf(writers.demand(this)));
  }

  async abort(reason?: unknown): Promise<undefined> {
    return abortSink(streamOf(writers.demand(this)), reason);
  }

  releaseLock(): void {
    releaseWriter(writers.demand(this));
  }

  get [Symbol.toStringTag](): string {
    return 'WritableStreamDefaultWriter';
  }
}

function streamOf({ stream }: WriterState): SinkState {
  if (stream === undefined) throw new TypeError('The writer was released');
  return stream;
}

/** Objects that plugin code reaches through streams, but not through a global's properties. */
export const sinkInternals: readonly object[] = [SinkController, StreamWriter];
