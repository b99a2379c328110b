import { makeBrand, type Brand } from '../brand.js';
import { member, toOptions } from '../web-idl.js';
import { pipe, readPipeOptions } from './pipe.js';
import { readIterable, readSource, StreamController } from './sources.js';
import {
  acquire,
  cancel,
  makeStreamState,
  start,
  type StreamSource,
  type StreamState,
  read,
  type ReaderState,
  type ReadResult,
  release,
} from './stream-state.js';
import { teeStream } from './tee.js';
import { sinks } from './writable-stream.js';

export const streams: Brand<StreamState> = makeBrand<StreamState>('ReadableStream');

/**
 * The web's `ReadableStream`: default readers, async iteration, `tee` and `from`. A stream of type
 * `bytes` accepts views and returns copies of them. It has no BYOB reader.
 */
export class ReadableStream {
  constructor(source?: unknown, strategy?: unknown) {
    const { plain, begin } = readSource(source, strategy);
    const state = makeStreamState(plain);
    streams.give(this, state);
    start(state, begin(state));
  }

  static from(iterable: unknown): object {
    return makeStream(readIterable(iterable));
  }

  get locked(): boolean {
    return streams.demand(this).reader !== undefined;
  }

  async cancel(reason?: unknown): Promise<undefined> {
    const state = streams.demand(this);
    if (state.reader !== undefined) throw new TypeError('The stream is locked to a reader');
    return cancel(state, reason);
  }

  getReader(options?: unknown): object {
    const state = streams.demand(this);
    const mode = member(toOptions(options, 'options argument of getReader'), 'mode');
    if (mode !== undefined) throw new TypeError('This stream has default readers only');
    return makeReader(acquire(state));
  }

  tee(): [object, object] {
    const [one, other] = teeStream(streams.demand(this), (chunk) => chunk);
    return [wrapStream(one), wrapStream(other)];
  }

  /** Moves all chunks to a `WritableStream`. */
  async pipeTo(destination?: unknown, options?: unknown): Promise<undefined> {
    return pipe(streams.demand(this), sinks.demand(destination), readPipeOptions(options));
  }

  pipeThrough(pair?: unknown, options?: unknown): object {
    const state = streams.demand(this);
    const given = toOptions(pair, 'argument of pipeThrough');
    const readable = member(given, 'readable');
    const sink = sinks.demand(member(given, 'writable'));
    streams.demand(readable);
    if (state.reader !== undefined) throw new TypeError('The stream is locked to a reader');
    if (sink.writer !== undefined) throw new TypeError('The stream is locked to a writer');
    pipe(state, sink, readPipeOptions(options)).catch(() => undefined);
    return Object(readable);
  }

  values(options?: unknown): AsyncIterator<unknown> {
    const state = streams.demand(this);
    const given = toOptions(options, 'options argument of values');
    const preventCancel = Boolean(member(given, 'preventCancel'));
    return iterateStream(acquire(state), preventCancel);
  }
  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return iterateStream(acquire(streams.demand(this)), false);
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStream';
  }
}

/** A stream with a source of ours. */
export function makeStream(source: StreamSource): object {
  const state = makeStreamState(source);
  start(state, undefined);
  return wrapStream(state);
}

export function wrapStream(state: StreamState): object {
  const stream: object = Object.create(ReadableStream.prototype);
  streams.give(stream, state);
  return stream;
}

const readers = makeBrand<ReaderState>('ReadableStreamDefaultReader');

/** The result of `getReader`. */
class StreamReader {
  constructor() {
    throw new TypeError('A reader comes from a stream');
  }

  get closed(): Promise<undefined> {
    return readers.demand(this).closed;
  }

  async read(): Promise<ReadResult> {
    return read(readers.demand(this));
  }

  async cancel(reason?: unknown): Promise<undefined> {
    const { stream } = readers.demand(this);
    if (stream === undefined) throw new TypeError('The reader was released');
    return cancel(stream, reason);
  }

  releaseLock(): void {
    release(readers.demand(this));
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStreamDefaultReader';
  }
}

function makeReader(state: ReaderState): object {
  const reader: object = Object.create(StreamReader.prototype);
  readers.give(reader, state);
  return reader;
}

/** Iterates to the end of a stream. An early exit cancels it, unless `preventCancel`. */
async function* iterateStream(
  reader: ReaderState,
  preventCancel: boolean,
): AsyncGenerator<unknown, undefined> {
  try {
    for (;;) {
      const result = await read(reader);
      if (result.done) return undefined;
      yield result.value;
    }
  } finally {
    const { stream } = reader;
    if (stream?.status === 'readable' && !preventCancel) await cancel(stream, undefined);
    release(reader);
  }
}

/** Objects that plugin code reaches through streams, but not through a global's properties. */
export const streamInternals: readonly object[] = [StreamController, StreamReader, iterateStream];
