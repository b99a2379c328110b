import { cloneBytes, isArrayBuffer, typedArrayName, viewBytes } from './bytes.js';
import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';
import { domExceptionClass } from './events/dom-exception.js';
import { demandArguments } from './web-idl.js';

/**
 * `structuredClone` in plain JavaScript: the platform's would return objects and errors of the
 * host's realm. The `transfer` option copies its entries and does not detach them.
 */
export const clone: Endowment = {
  globals: ['structuredClone'],
  make: (capabilities): Endowed => {
    const cloneValue = makeCloner(capabilities);
    return {
      globals: {
        structuredClone: (...args: unknown[]): unknown => {
          demandArguments(args.length, 1, 'structuredClone');
          return cloneValue(args[0]);
        },
      },
      revoke: () => undefined,
    };
  },
};

/** Copies values as `structuredClone` does, with its errors. */
export function makeCloner(capabilities: EndowmentCapabilities): (value: unknown) => unknown {
  const DOMException = domExceptionClass(capabilities);
  return (value) =>
    cloneAll(value, (what) => {
      throw new DOMException(`${what} cannot be cloned`, 'DataCloneError');
    });
}

function cloneAll(root: unknown, refuse: Cloning['refuse']): unknown {
  // Maps each object to its copy, which preserves shared and circular references.
  const known = new Map<object, object>();
  const cloning: Cloning = {
    refuse,
    copy: (value) => {
      if (typeof value === 'symbol') return refuse('A symbol');
      if (typeof value === 'function') return refuse('A function');
      if (typeof value !== 'object' || value === null) return value;
      const earlier = known.get(value);
      if (earlier !== undefined) return earlier;
      const whole = cloneWhole(value, cloning);
      if (whole !== undefined) {
        known.set(value, whole);
        return whole;
      }
      const { made, fill } = cloneContents(value, cloning);
      known.set(value, made);
      fill();
      return made;
    },
  };
  return cloning.copy(root);
}

interface Cloning {
  /** Copies a nested value. */
  copy(value: unknown): unknown;
  refuse(what: string): never;
}

/** Copies an object that contains no other objects. Returns `undefined` for an object that may. */
function cloneWhole(value: object, cloning: Cloning): object | undefined {
  const bytes = viewBytes(value);
  if (bytes !== undefined) {
    return isArrayBuffer(value) ? cloneBytes(bytes).buffer : cloneView(value, bytes, cloning);
  }
  if (value instanceof Date) return new Date(Date.prototype.getTime.call(value));
  if (value instanceof RegExp) {
    return new RegExp(
      readText(RegExp.prototype, 'source', value),
      readText(RegExp.prototype, 'flags', value),
    );
  }
  if (value instanceof Boolean) return box(Boolean.prototype.valueOf.call(value));
  if (value instanceof Number) return box(Number.prototype.valueOf.call(value));
  if (value instanceof String) return box(String.prototype.valueOf.call(value));
  if (value instanceof BigInt) return box(BigInt.prototype.valueOf.call(value));
  for (const { kind, what } of UNCLONEABLE) {
    if (value instanceof kind) return cloning.refuse(what);
  }
  return undefined;
}

/** Copies an object that may contain itself: first makes the copy, then fills it. */
function cloneContents(
  value: object,
  { copy }: Cloning,
): { readonly made: object; readonly fill: () => void } {
  if (Array.isArray(value)) {
    const made: unknown[] = [];
    made.length = value.length;
    return { made, fill: () => copyProperties(value, made, copy) };
  }
  if (value instanceof Map) {
    const made = new Map<unknown, unknown>();
    const pairs: [unknown, unknown][] = [];
    Map.prototype.forEach.call(value, (item: unknown, key: unknown) => pairs.push([key, item]));
    const fill = (): void => {
      for (const [key, item] of pairs) made.set(copy(key), copy(item));
    };
    return { made, fill };
  }
  if (value instanceof Set) {
    const made = new Set<unknown>();
    const items: unknown[] = [];
    Set.prototype.forEach.call(value, (item: unknown) => items.push(item));
    const fill = (): void => {
      for (const item of items) made.add(copy(item));
    };
    return { made, fill };
  }
  if (value instanceof Error) return cloneError(value, copy);
  const made = {};
  return { made, fill: () => copyProperties(value, made, copy) };
}

const UNCLONEABLE = [
  { kind: Symbol, what: 'A symbol' },
  { kind: Promise, what: 'A Promise' },
  { kind: WeakMap, what: 'A WeakMap' },
  { kind: WeakSet, what: 'A WeakSet' },
];

function cloneView(value: object, bytes: Uint8Array, { copy, refuse }: Cloning): object {
  // Two views of one buffer become two views of one copy.
  const buffer = copy(bytes.buffer);
  if (!(buffer instanceof ArrayBuffer)) return refuse('Shared memory');
  const name = typedArrayName(value);
  if (name === undefined) return new DataView(buffer, bytes.byteOffset, bytes.byteLength);
  const view = VIEWS.find((kind) => kind.name === name);
  if (view === undefined) return refuse(`A ${name}`);
  return new view(buffer, bytes.byteOffset, bytes.byteLength / view.BYTES_PER_ELEMENT);
}

const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  BigInt64Array,
  BigUint64Array,
  Float32Array,
  Float64Array,
];

function readText(prototype: object, key: string, value: object): string {
  return String(Reflect.get(prototype, key, value));
}

function box(primitive: boolean | number | string | bigint): object {
  const boxed: object = Object(primitive);
  return boxed;
}

function cloneError(
  error: Error,
  copy: Cloning['copy'],
): { readonly made: object; readonly fill: () => void } {
  const name = String(error.name);
  const kind = ERRORS.find((known) => known.name === name) ?? Error;
  const message = Reflect.getOwnPropertyDescriptor(error, 'message');
  const made = message === undefined ? new kind() : new kind(String(message.value));
  const cause = Reflect.getOwnPropertyDescriptor(error, 'cause');
  const fill = (): void => {
    if (cause === undefined || !('value' in cause)) return;
    const property = { value: copy(cause.value), writable: true, configurable: true };
    Object.defineProperty(made, 'cause', property);
  };
  return { made, fill };
}

const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

function copyProperties(from: object, to: object, copy: Cloning['copy']): void {
  for (const key of Object.keys(from)) {
    const value = copy(Reflect.get(from, key));
    Object.defineProperty(to, key, { value, writable: true, enumerable: true, configurable: true });
  }
}
