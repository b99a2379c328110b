import { makeBrand, type Brand } from '../brand.js';
import { member, toOptions } from '../web-idl.js';
import { readIterable } from './iterable-source.js';
import { readSource, StreamController } from './plugin-source.js';
import { iterateStream, makeReader, StreamReader } from './stream-reader.js';
import {
  acquire,
  cancel,
  makeStreamState,
  start,
  type StreamSource,
  type StreamState,
} from './stream-state.js';
import { teeStream } from './tee.js';

export const streams: Brand<StreamState> = makeBrand<StreamState>('ReadableStream');

/**
 * The web's `ReadableStream`: default readers, async iteration, `tee` and `from`. A stream of type
 * `bytes` takes views and gives copies of them; it has no BYOB reader. There are no writable
 * streams to pipe to.
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

/** A stream that our own code feeds. */
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

/** What plugin code meets in streams, and no property of a global leads to. */
export const streamInternals: readonly object[] = [StreamController, StreamReader, iterateStream];
