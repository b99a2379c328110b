import { makeBrand } from '../brand.js';
import { copyBytes } from '../bytes.js';
import { isCallable, member, toOptions, toText, isObject } from '../web-idl.js';
import {
  canEnqueue,
  desiredSize,
  enqueue,
  fail,
  finish,
  type StreamSource,
  type StreamState,
} from './stream-state.js';

/** A source of plugin code. Its members are read once. */
interface PluginSource {
  readonly plain: StreamSource;
  /** Runs the source's `start`. */
  readonly begin: (stream: StreamState) => unknown;
}

export function readSource(source: unknown, strategy: unknown): PluginSource {
  const given = toOptions(source, 'source of a stream');
  const limits = toOptions(strategy, 'strategy of a stream');
  const type = member(given, 'type');
  if (type !== undefined && toText(type) !== 'bytes') throw new RangeError('Unknown stream type');
  const bytes = type !== undefined;
  const call = readMethod(given, 'start');
  const pull = readMethod(given, 'pull');
  const cancel = readMethod(given, 'cancel');
  const size = readMethod(limits, 'size');
  const controller: object = Object.create(StreamController.prototype);
  return {
    plain: {
      pull: () => pull?.call(given, controller),
      cancel: (reason) => cancel?.call(given, reason),
      highWaterMark: readHighWaterMark(member(limits, 'highWaterMark'), bytes ? 0 : 1),
      sizeOf: (chunk) => (size === undefined ? 1 : Number(size.call(undefined, chunk))),
    },
    begin: (stream) => {
      controllers.give(controller, { stream, bytes });
      return call?.call(given, controller);
    },
  };
}

export function readMethod(
  object: object,
  name: string,
): { call(self: unknown, ...args: unknown[]): unknown } | undefined {
  const method = member(object, name);
  if (method === undefined) return undefined;
  if (!isCallable(method)) throw new TypeError(`The ${name} of a stream is not a function`);
  // Not the method's own `call`, which a plugin may have replaced.
  return { call: (self, ...args) => Reflect.apply(method, self, args) };
}

export function readHighWaterMark(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const mark = Number(value);
  if (!(mark >= 0)) throw new RangeError('The high-water mark must be a number of at least 0');
  return mark;
}

const controllers = makeBrand<{ readonly stream: StreamState; readonly bytes: boolean }>(
  'ReadableStreamDefaultController',
);

/** The controller of a source. */
export class StreamController {
  constructor() {
    throw new TypeError('A controller comes with a stream');
  }

  get desiredSize(): number | null {
    return desiredSize(controllers.demand(this).stream);
  }

  enqueue(chunk?: unknown): void {
    const { stream, bytes } = controllers.demand(this);
    const taken = bytes ? copyBytes(chunk) : chunk;
    if (bytes && taken === undefined) throw new TypeError('A stream of bytes takes views of bytes');
    if (!canEnqueue(stream)) throw new TypeError('The stream takes no more');
    enqueue(stream, taken);
  }

  close(): void {
    const { stream } = controllers.demand(this);
    if (!canEnqueue(stream)) throw new TypeError('The stream is closed');
    finish(stream);
  }

  error(reason?: unknown): void {
    fail(controllers.demand(this).stream, reason);
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStreamDefaultController';
  }
}

/** A source from a sync or async iterable. Throws a TypeError for anything else. */
export function readIterable(iterable: unknown): StreamSource {
  const iterator = openIterator(iterable);
  const next = isObject(iterator) ? member(iterator, 'next') : undefined;
  if (!isObject(iterator) || !isCallable(next)) throw notIterable();
  return {
    highWaterMark: 0,
    sizeOf: () => 1,
    pull: async (stream) => {
      const result = await Reflect.apply(next, iterator, []);
      if (!isObject(result)) throw new TypeError('The iterator gave no result');
      if (member(result, 'done')) finish(stream);
      else enqueue(stream, await member(result, 'value'));
    },
    cancel: async (reason) => {
      const leave = member(iterator, 'return');
      if (isCallable(leave)) await Reflect.apply(leave, iterator, [reason]);
    },
  };
}

function openIterator(iterable: unknown): unknown {
  const from = typeof iterable === 'string' ? Object(iterable) : iterable;
  if (!isObject(from)) throw notIterable();
  for (const symbol of [Symbol.asyncIterator, Symbol.iterator]) {
    const open: unknown = Reflect.get(from, symbol);
    if (isCallable(open)) return Reflect.apply(open, from, []);
  }
  throw notIterable();
}

function notIterable(): TypeError {
  return new TypeError('This cannot be iterated');
}
