import { defer, type Settle } from './stream-state.js';

/**
 * The machine inside a `WritableStream`: a queue between a writer and a sink that takes one chunk at
 * a time. As in `stream-state.ts`, it never reads a property of a plugin's object.
 */
export interface SinkState {
  status: 'writable' | 'closed' | 'errored';
  error: unknown;
  queue: { readonly chunk: unknown; readonly size: number; readonly settle: Settle<undefined> }[];
  queuedSize: number;
  /** `close` was called, and waits for the queue. */
  closing: Settle<undefined> | undefined;
  started: boolean;
  /** Settles when the sink function that runs has ended. */
  running: Promise<unknown> | undefined;
  writer: WriterState | undefined;
  readonly sink: Sink;
}

export interface Sink {
  /** Never called concurrently. If it throws, the stream fails. */
  readonly write: (chunk: unknown) => unknown;
  readonly close: () => unknown;
  readonly abort: (reason: unknown) => unknown;
  readonly highWaterMark: number;
  readonly sizeOf: (chunk: unknown) => number;
}

export interface WriterState {
  /** Absent after the lock is released. */
  stream: SinkState | undefined;
  ready: Waiting;
  closed: Waiting;
}

interface Waiting {
  promise: Promise<undefined>;
  settle: Settle<undefined>;
  isSettled: boolean;
}

export function makeSinkState(sink: Sink): SinkState {
  return {
    status: 'writable',
    error: undefined,
    queue: [],
    queuedSize: 0,
    closing: undefined,
    started: false,
    running: undefined,
    writer: undefined,
    sink,
  };
}

/** Starts writing to the sink when `ready` has resolved. */
export function startSink(stream: SinkState, ready: unknown): void {
  Promise.resolve(ready).then(
    () => {
      stream.started = true;
      advance(stream);
    },
    (error: unknown) => failSink(stream, error),
  );
}

export function roomOf(stream: SinkState): number | null {
  if (stream.status === 'errored') return null;
  if (stream.status === 'closed') return 0;
  return stream.sink.highWaterMark - stream.queuedSize;
}

/** Queues a chunk. Resolves when the sink has accepted it. */
export function write(stream: SinkState, chunk: unknown): Promise<undefined> {
  if (stream.status === 'errored') return Promise.reject(stream.error);
  if (stream.status === 'closed' || stream.closing !== undefined) {
    return Promise.reject(new TypeError('The stream is closed'));
  }
  let size: number;
  try {
    size = Number(stream.sink.sizeOf(chunk));
    if (!(size >= 0 && size < Infinity)) throw new RangeError('A chunk has no size');
  } catch (error) {
    failSink(stream, error);
    return Promise.reject(error);
  }
  const { promise, settle } = defer<undefined>();
  stream.queue.push({ chunk, size, settle });
  stream.queuedSize += size;
  updateReady(stream);
  advance(stream);
  return promise;
}

/** Closes the sink after the queued chunks. */
export function closeSink(stream: SinkState): Promise<undefined> {
  if (stream.status === 'errored') return Promise.reject(stream.error);
  if (stream.status === 'closed' || stream.closing !== undefined) {
    return Promise.reject(new TypeError('The stream is closed already'));
  }
  const { promise, settle } = defer<undefined>();
  stream.closing = settle;
  updateReady(stream);
  advance(stream);
  return promise;
}

/** Drops the queue and aborts the sink after the function that runs. */
export async function abortSink(stream: SinkState, reason: unknown): Promise<undefined> {
  if (stream.status !== 'writable') return undefined;
  failSink(stream, reason);
  await stream.running?.catch(() => undefined);
  await stream.sink.abort(reason);
  return undefined;
}

export function failSink(stream: SinkState, error: unknown): void {
  if (stream.status !== 'writable') return;
  stream.status = 'errored';
  stream.error = error;
  for (const { settle } of stream.queue.splice(0)) settle.reject(error);
  stream.queuedSize = 0;
  stream.closing?.reject(error);
  stream.closing = undefined;
  const { writer } = stream;
  if (writer === undefined) return;
  if (writer.ready.isSettled) writer.ready = rejected(error);
  else settleWaiting(writer.ready, error);
  settleWaiting(writer.closed, error);
}

/** Locks the stream to a writer. Throws a TypeError if it is locked. */
export function acquireWriter(stream: SinkState): WriterState {
  if (stream.writer !== undefined) throw new TypeError('The stream is locked to a writer');
  const writer: WriterState = { stream, ready: waiting(), closed: waiting() };
  if (stream.status === 'errored') {
    writer.ready = rejected(stream.error);
    writer.closed = rejected(stream.error);
  }
  if (stream.status === 'closed') settleWaiting(writer.closed);
  stream.writer = writer;
  updateReady(stream);
  return writer;
}

export function releaseWriter(writer: WriterState): void {
  const { stream } = writer;
  if (stream === undefined) return;
  const error = new TypeError('The writer was released');
  writer.ready = rejected(error);
  writer.closed = rejected(error);
  stream.writer = undefined;
  writer.stream = undefined;
}

function advance(stream: SinkState): void {
  if (!stream.started || stream.running !== undefined || stream.status !== 'writable') return;
  const next = stream.queue[0];
  if (next === undefined) {
    if (stream.closing !== undefined) finishSink(stream, stream.closing);
    return;
  }
  run(
    stream,
    () => stream.sink.write(next.chunk),
    () => {
      next.settle.resolve(undefined);
      if (stream.queue[0] !== next) return;
      stream.queue.shift();
      stream.queuedSize -= next.size;
      updateReady(stream);
    },
  );
}

function finishSink(stream: SinkState, closing: Settle<undefined>): void {
  run(
    stream,
    () => stream.sink.close(),
    () => {
      closing.resolve(undefined);
      if (stream.status !== 'writable') return;
      stream.status = 'closed';
      stream.closing = undefined;
      if (stream.writer !== undefined) settleWaiting(stream.writer.closed);
    },
  );
}

/** Calls a function that may be a plugin's, and continues with the queue. */
function run(stream: SinkState, call: () => unknown, done: () => void): void {
  const running = new Promise((resolve) => {
    resolve(call());
  });
  stream.running = running;
  running.then(
    () => {
      stream.running = undefined;
      done();
      advance(stream);
    },
    (error: unknown) => {
      stream.running = undefined;
      failSink(stream, error);
    },
  );
}

/** `ready` of a writer is pending while the queue is full. */
function updateReady(stream: SinkState): void {
  const { writer } = stream;
  if (writer === undefined || stream.status === 'errored') return;
  const isFull = stream.closing === undefined && (roomOf(stream) ?? 1) <= 0;
  if (!isFull || stream.status === 'closed') settleWaiting(writer.ready);
  else if (writer.ready.isSettled) writer.ready = waiting();
}

function waiting(): Waiting {
  const { promise, settle } = defer<undefined>();
  // A plugin need not observe it, so it is not an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, settle, isSettled: false };
}

function rejected(error: unknown): Waiting {
  const one = waiting();
  settleWaiting(one, error);
  return one;
}

function settleWaiting(one: Waiting, ...failure: readonly [error?: unknown]): void {
  if (one.isSettled) return;
  one.isSettled = true;
  if (failure.length === 0) one.settle.resolve(undefined);
  else one.settle.reject(failure[0]);
}
