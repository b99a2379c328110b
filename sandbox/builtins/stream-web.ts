import { offer } from './denied.js';

const CLASSES = [
  'ByteLengthQueuingStrategy',
  'CountQueuingStrategy',
  'ReadableStream',
  'TextDecoderStream',
  'TextEncoderStream',
  'TransformStream',
  'WritableStream',
];

/** `node:stream/web`: the compartment's own classes. */
export const builtin: object = offer(
  'stream/web',
  Object.fromEntries(
    CLASSES.map((name): [string, unknown] => [name, Reflect.get(globalThis, name)]),
  ),
);
