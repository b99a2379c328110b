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

/** Connects streams in a row; calls back when the last has finished, or any has failed. */
export function pipeline(...args: unknown[]): AnyStream | undefined {
  const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const streams = args.flat().map((value, index) => toStream(value, index));
  let failed: unknown;
  let open = streams.length;
  const settle: Ended = (error) => {
    open -= 1;
    if (error !== undefined && failed === undefined) {
      failed = error;
      for (const stream of streams) stream.destroy();
    }
    if (open === 0 && typeof callback === 'function') callback(failed);
  };
  for (const stream of streams) finished(stream, settle);
  streams.reduce((from, to) => from.pipe(to));
  return streams.at(-1);
}

function toStream(value: unknown, index: number): AnyStream {
  if (isStream(value)) return value;
  if (index === 0 && typeof value === 'object' && value !== null && isIterable(value)) {
    const stream: unknown = Readable.from(value);
    if (isStream(stream)) return stream;
  }
  throw new TypeError('pipeline takes streams, and first of all anything iterable');
}

function isStream(value: unknown): value is AnyStream {
  return typeof value === 'object' && value !== null && 'on' in value && 'destroy' in value;
}

function isIterable(value: object): value is AsyncIterable<unknown> | Iterable<unknown> {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}

export const promises: object = offer('stream/promises', {
  finished: (stream: AnyStream): Promise<void> => settled((done) => finished(stream, done)),
  pipeline: (...streams: unknown[]): Promise<void> =>
    settled((done) =>
      pipeline(...streams.filter((stream) => isStream(stream) || isIterable(Object(stream))), done),
    ),
});

function settled(run: (done: Ended) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}
