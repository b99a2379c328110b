import { makeBrand } from '../brand.js';
import { copyBytes } from '../bytes.js';
import { isCallable, member, toOptions, toText } from '../web-idl.js';
import {
  canEnqueue,
  desiredSize,
  enqueue,
  fail,
  finish,
  type StreamSource,
  type StreamState,
} from './stream-state.js';

/** A source that plugin code wrote, read once: what its object answers later does not matter. */
export interface PluginSource {
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

function readMethod(
  object: object,
  name: string,
): { call(self: unknown, ...args: unknown[]): unknown } | undefined {
  const method = member(object, name);
  if (method === undefined) return undefined;
  if (!isCallable(method)) throw new TypeError(`The ${name} of a stream is not a function`);
  // Not the method's own `call`, which may be a plugin's.
  return { call: (self, ...args) => Reflect.apply(method, self, args) };
}

function readHighWaterMark(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const mark = Number(value);
  if (!(mark >= 0)) throw new RangeError('The high-water mark is no number from 0 up');
  return mark;
}

const controllers = makeBrand<{ readonly stream: StreamState; readonly bytes: boolean }>(
  'ReadableStreamDefaultController',
);

/** What a source feeds its stream with. */
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
