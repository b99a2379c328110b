import { isCallable, isObject, member } from '../web-idl.js';
import { enqueue, finish, type StreamSource } from './stream-state.js';

/** A source out of what can be iterated, at once or as it comes. Throws a TypeError for the rest. */
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
