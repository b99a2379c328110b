import { offer } from './denied.js';
import { Readable } from './stream-readable.js';

type Ended = (error?: unknown) => void;

interface AnyStream {
  on(name: string, listener: (...args: unknown[]) => void): unknown;
  off(name: string, listener: (...args: unknown[]) => void): unknown;
  pipe(to: AnyStream): AnyStream;
  destroy(error?: unknown): unknown;
  readonly readableEnded?: boolean;
  readonly writableFinished?: boolean;
  readonly errored?: unknown;
}

/** Calls back once a stream has nothing more to give or to take, or has failed. */
export function finished(stream: AnyStream, ...rest: unknown[]): () => void {
  const callback = rest.pop();
  let isDone = false;
  const settle = (error?: unknown): void => {
    if (isDone || typeof callback !== 'function') return;
    isDone = true;
    callback(error ?? undefined);
  };
  const check = (): void => {
    if (stream.readableEnded !== false && stream.writableFinished !== false) settle();
  };
  const listeners: readonly (readonly [string, (...args: unknown[]) => void])[] = [
    ['end', check],
    ['finish', check],
    ['error', settle],
    ['close', () => settle(stream.errored)],
  ];
  for (const [name, listener] of listeners) stream.on(name, listener);
  return () => {
    for (const [name, listener] of listeners) stream.off(name, listener);
  };
}

/**
 * Connects streams in a row; calls back when the last has finished, or any has failed. A function
 * in the row is given what comes before it, and gives what comes next, or (last) a promise.
 */
export function pipeline(...args: unknown[]): AnyStream | undefined {
  const stages = args.flat();
  const isCallback = typeof stages.at(-1) === 'function' && stages.length > 1;
  const callback = isCallback ? stages.pop() : undefined;
  return connect(stages, typeof callback === 'function' ? (error) => callback(error) : () => {});
}

function connect(stages: readonly unknown[], done: Ended): AnyStream | undefined {
  const streams: AnyStream[] = [];
  let open = 1;
  let failed: unknown;
  const settle: Ended = (error) => {
    open -= 1;
    if (error !== undefined && failed === undefined) {
      failed = error;
      for (const stream of streams) stream.destroy();
    }
    if (open === 0) done(failed);
  };
  for (const stage of stages) {
    const before = streams.at(-1);
    const made: unknown = typeof stage === 'function' ? stage(before) : stage;
    if (made instanceof Promise) {
      open += 1;
      made.then(() => settle(), settle);
      continue;
    }
    const stream = toStream(made);
    open += 1;
    finished(stream, settle);
    if (before !== undefined && typeof stage !== 'function') before.pipe(stream);
    streams.push(stream);
  }
  settle();
  return streams.at(-1);
}

function toStream(value: unknown): AnyStream {
  if (isStream(value)) return value;
  if (isIterable(Object(value))) {
    const stream: unknown = Readable.from(Object(value));
    if (isStream(stream)) return stream;
  }
  throw new TypeError('pipeline takes streams, functions, and what can be iterated over');
}

function isStream(value: unknown): value is AnyStream {
  return typeof value === 'object' && value !== null && 'on' in value && 'destroy' in value;
}

/** Not the options at the end. */
function isStage(value: unknown): boolean {
  return typeof value === 'function' || isStream(value) || isIterable(Object(value));
}

function isIterable(value: object): value is AsyncIterable<unknown> | Iterable<unknown> {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

export const promises: object = offer('stream/promises', {
  finished: (stream: AnyStream): Promise<void> => settled((done) => finished(stream, done)),
  pipeline: (...streams: unknown[]): Promise<void> =>
    settled((done) => connect(streams.filter(isStage), done)),
});

function settled(run: (done: Ended) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}
