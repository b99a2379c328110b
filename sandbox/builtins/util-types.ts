import { offer } from './denied.js';

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);
const isTagged =
  (...tags: string[]): ((value: unknown) => boolean) =>
  (value) =>
    typeof value === 'object' && value !== null && tags.includes(tagOf(value));

/** `util.types`, as far as code in the realm can determine. It cannot detect a Proxy. */
export const types: object = {
  isAnyArrayBuffer: isTagged('ArrayBuffer', 'SharedArrayBuffer'),
  isArrayBuffer: isTagged('ArrayBuffer'),
  isArrayBufferView: (value: unknown): boolean => ArrayBuffer.isView(value),
  isAsyncFunction: (value: unknown): boolean =>
    typeof value === 'function' && tagOf(value) === 'AsyncFunction',
  isBoxedPrimitive: isTagged('Number', 'String', 'Boolean', 'Symbol', 'BigInt'),
  isDataView: isTagged('DataView'),
  isDate: isTagged('Date'),
  isGeneratorFunction: (value: unknown): boolean =>
    typeof value === 'function' && tagOf(value).endsWith('GeneratorFunction'),
  isGeneratorObject: isTagged('Generator'),
  isMap: isTagged('Map'),
  isNativeError: (value: unknown): boolean => value instanceof Error,
  isPromise: isTagged('Promise'),
  isProxy: (): boolean => false,
  isRegExp: isTagged('RegExp'),
  isSet: isTagged('Set'),
  isSharedArrayBuffer: isTagged('SharedArrayBuffer'),
  isSymbolObject: isTagged('Symbol'),
  isTypedArray: (value: unknown): boolean =>
    ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: isTagged('Uint8Array'),
  isWeakMap: isTagged('WeakMap'),
  isWeakSet: isTagged('WeakSet'),
  isExternal: (): boolean => false,
  isModuleNamespaceObject: isTagged('Module'),
};

export const builtin: object = offer('util/types', types);
