/**
 * The machine inside a `ReadableStream`: a queue between a source that is pulled and a reader.
 *
 * ```
 *   source ── enqueue ──► queue ──► read          readable ──► closed
 *      ▲                    │                         └──────► errored
 *      └──────── pull ◄─────┘  below the high-water mark, or if a read waits
 * ```
 *
 * It never reads a property of a plugin's object. The classes read sources, sizes and chunks once,
 * and pass functions and values.
 */
export interface StreamState {
  status: 'readable' | 'closed' | 'errored';
  error: unknown;
  queue: { readonly chunk: unknown; readonly size: number }[];
  queuedSize: number;
  /** It was read or cancelled. */
  disturbed: boolean;
  reader: ReaderState | undefined;
  readonly source: StreamSource;
  /** The source has ended, but the queue is not empty. */
  closing: boolean;
  started: boolean;
  pulling: boolean;
  pullAgain: boolean;
}

export interface StreamSource {
  /**
   * Never called concurrently. It enqueues, closes or fails the stream. If it throws, the stream
   * fails.
   */
  readonly pull: (stream: StreamState) => unknown;
  readonly cancel: (reason: unknown) => unknown;
  readonly highWaterMark: number;
  readonly sizeOf: (chunk: unknown) => number;
}

export interface ReaderState {
  /** Absent after the lock is released. */
  stream: StreamState | undefined;
  waiting: Settle<ReadResult>[];
  closed: Promise<undefined>;
  settleClosed: Settle<undefined>;
}

export type ReadResult =
  | { readonly done: false; readonly value: unknown }
  | { readonly done: true; readonly value: undefined };

export interface Settle<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function makeStreamState(source: StreamSource): StreamState {
  return {
    status: 'readable',
    error: undefined,
    queue: [],
    queuedSize: 0,
    disturbed: false,
    reader: undefined,
    source,
    closing: false,
    started: false,
    pulling: false,
    pullAgain: false,
  };
}

/** Starts pulling the source when `ready` has resolved. */
export function start(stream: StreamState, ready: unknown): void {
  run(() => ready).then(
    () => {
      stream.started = true;
      pullIfWanted(stream);
    },
    (error: unknown) => fail(stream, error),
  );
}

export function desiredSize(stream: StreamState): number | null {
  if (stream.status === 'errored') return null;
  if (stream.status === 'closed') return 0;
  return stream.source.highWaterMark - stream.queuedSize;
}

export function canEnqueue(stream: StreamState): boolean {
  return stream.status === 'readable' && !stream.closing;
}

export function enqueue(stream: StreamState, chunk: unknown): void {
  const waiting = stream.reader?.waiting.shift();
  if (waiting !== undefined) waiting.resolve({ done: false, value: chunk });
  else {
    let size: number;
    try {
      size = Number(stream.source.sizeOf(chunk));
      if (!(size >= 0 && size < Infinity)) throw new RangeError('A chunk is of no size');
    } catch (error) {
      fail(stream, error);
      throw error;
    }
    stream.queue.push({ chunk, size });
    stream.queuedSize += size;
  }
  pullIfWanted(stream);
}

/** Ends the source: the stream closes when its queue is empty. */
export function finish(stream: StreamState): void {
  if (!canEnqueue(stream)) return;
  stream.closing = true;
  if (stream.queue.length === 0) close(stream);
}

export function fail(stream: StreamState, error: unknown): void {
  if (stream.status !== 'readable') return;
  stream.status = 'errored';
  stream.error = error;
  stream.queue = [];
  stream.queuedSize = 0;
  const { reader } = stream;
  if (reader === undefined) return;
  for (const waiting of reader.waiting.splice(0)) waiting.reject(error);
  reader.settleClosed.reject(error);
}

export function cancel(stream: StreamState, reason: unknown): Promise<undefined> {
  stream.disturbed = true;
  if (stream.status === 'errored') return Promise.reject(stream.error);
  if (stream.status === 'closed') return Promise.resolve(undefined);
  stream.queue = [];
  stream.queuedSize = 0;
  close(stream);
  return run(() => stream.source.cancel(reason)).then(() => undefined);
}

/** Locks the stream to a reader. Throws a TypeError if it is locked. */
export function acquire(stream: StreamState): ReaderState {
  if (stream.reader !== undefined) throw new TypeError('The stream is locked to a reader');
  const { promise, settle } = defer<undefined>();
  // A plugin need not observe it, so it is not an unhandled rejection.
  promise.catch(() => undefined);
  const reader: ReaderState = { stream, waiting: [], closed: promise, settleClosed: settle };
  if (stream.status === 'closed') settle.resolve(undefined);
  if (stream.status === 'errored') settle.reject(stream.error);
  stream.reader = reader;
  return reader;
}

export function release(reader: ReaderState): void {
  const { stream } = reader;
  if (stream === undefined) return;
  const error = new TypeError('The reader was released');
  reader.settleClosed.reject(error);
  if (stream.status !== 'readable') {
    reader.closed = Promise.reject(error);
    reader.closed.catch(() => undefined);
  }
  stream.reader = undefined;
  reader.stream = undefined;
  for (const waiting of reader.waiting.splice(0)) waiting.reject(error);
}

export function read(reader: ReaderState): Promise<ReadResult> {
  const { stream } = reader;
  if (stream === undefined) return Promise.reject(new TypeError('The reader was released'));
  stream.disturbed = true;
  if (stream.status === 'errored') return Promise.reject(stream.error);
  if (stream.status === 'closed') return Promise.resolve({ done: true, value: undefined });
  const next = stream.queue.shift();
  if (next === undefined) {
    const { promise, settle } = defer<ReadResult>();
    reader.waiting.push(settle);
    pullIfWanted(stream);
    return promise;
  }
  stream.queuedSize -= next.size;
  if (stream.closing && stream.queue.length === 0) close(stream);
  else pullIfWanted(stream);
  return Promise.resolve({ done: false, value: next.chunk });
}

function close(stream: StreamState): void {
  stream.status = 'closed';
  const { reader } = stream;
  if (reader === undefined) return;
  for (const waiting of reader.waiting.splice(0)) waiting.resolve({ done: true, value: undefined });
  reader.settleClosed.resolve(undefined);
}

function pullIfWanted(stream: StreamState): void {
  if (!stream.started || !canEnqueue(stream)) return;
  const readWaits = stream.reader !== undefined && stream.reader.waiting.length > 0;
  if (!readWaits && stream.queuedSize >= stream.source.highWaterMark) return;
  if (stream.pulling) {
    stream.pullAgain = true;
    return;
  }
  stream.pulling = true;
  run(() => stream.source.pull(stream)).then(
    () => {
      stream.pulling = false;
      if (!stream.pullAgain) return;
      stream.pullAgain = false;
      pullIfWanted(stream);
    },
    (error: unknown) => fail(stream, error),
  );
}

/** Calls a function that may be a plugin's, and awaits its result. */
function run(call: () => unknown): Promise<unknown> {
  return new Promise((resolve) => {
    resolve(call());
  });
}

export function defer<Value>(): {
  readonly promise: Promise<Value>;
  readonly settle: Settle<Value>;
} {
  let settle: Settle<Value> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new TypeError('A promise ran nothing');
  return { promise, settle };
}
