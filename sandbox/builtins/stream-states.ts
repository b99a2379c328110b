import type { StringDecoder } from './string-decoder.js';

/**
 * What streams keep to themselves. Not in fields of theirs: a subclass may have fields of any name,
 * and often has one called `chunks`.
 */
export interface ReadState {
  chunks: unknown[];
  /** The source has said that there is no more. */
  isComplete: boolean;
  /** The source has been asked for more and has not answered. */
  isAsked: boolean;
  decoder: StringDecoder | undefined;
  readonly sinks: Set<object>;
}

export interface WriteState {
  readonly waiting: {
    readonly chunk: unknown;
    readonly encoding: string;
    readonly done: ((error?: unknown) => void) | undefined;
  }[];
  isWriting: boolean;
  decodesStrings: boolean;
}

const readStates = new WeakMap<object, ReadState>();
const writeStates = new WeakMap<object, WriteState>();

export function readState(stream: object): ReadState {
  let state = readStates.get(stream);
  if (state === undefined) {
    state = { chunks: [], isComplete: false, isAsked: false, decoder: undefined, sinks: new Set() };
    readStates.set(stream, state);
  }
  return state;
}

export function writeState(stream: object): WriteState {
  let state = writeStates.get(stream);
  if (state === undefined) {
    state = { waiting: [], isWriting: false, decodesStrings: true };
    writeStates.set(stream, state);
  }
  return state;
}

/** Gives one object what another has, field by field, where it does not have it itself. */
export function takeOver(from: object, to: object): void {
  for (const key of Reflect.ownKeys(from)) {
    const property = Reflect.getOwnPropertyDescriptor(from, key);
    if (property !== undefined && !Object.hasOwn(to, key)) Object.defineProperty(to, key, property);
  }
  const reading = readStates.get(from);
  if (reading !== undefined && !readStates.has(to)) readStates.set(to, reading);
  const writing = writeStates.get(from);
  if (writing !== undefined && !writeStates.has(to)) writeStates.set(to, writing);
}
