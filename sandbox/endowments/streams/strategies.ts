import { makeBrand } from '../brand.js';
import { isObject, member } from '../web-idl.js';

const marks = makeBrand<number>('strategy of a stream');

function readMark(init: unknown): number {
  if (!isObject(init)) throw new TypeError('A strategy takes { highWaterMark }');
  return Number(member(init, 'highWaterMark'));
}

/** Counts the bytes of each chunk. */
export class ByteLengthQueuingStrategy {
  constructor(init?: unknown) {
    marks.give(this, readMark(init));
  }
  get highWaterMark(): number {
    return marks.demand(this);
  }
  get size(): (chunk: unknown) => unknown {
    return bytesOfChunk;
  }
}

/** Counts each chunk as one. */
export class CountQueuingStrategy {
  constructor(init?: unknown) {
    marks.give(this, readMark(init));
  }
  get highWaterMark(): number {
    return marks.demand(this);
  }
  get size(): () => number {
    return one;
  }
}

const bytesOfChunk = (chunk: unknown): unknown => member(Object(chunk), 'byteLength');
const one = (): number => 1;

/** Objects that plugin code reaches through strategies, but not through a global's properties. */
export const strategyInternals: readonly object[] = [bytesOfChunk, one];
