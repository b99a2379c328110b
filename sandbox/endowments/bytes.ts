/**
 * Reads the bytes behind an ArrayBuffer, a typed array or a DataView that a plugin made. It does
 * not read the object's own properties and does not trust its class: a plugin may control
 * `constructor`, `length` and `buffer`. Returns `undefined` for anything else, Proxies included.
 *
 * The view is a fresh object on the same memory. It is valid until plugin code runs again.
 */
export function viewBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    const get = isTypedArray(value) ? typedArray : dataView;
    return new Uint8Array(
      asBuffer(get.buffer.call(value)),
      asNumber(get.byteOffset.call(value)),
      asNumber(get.byteLength.call(value)),
    );
  }
  return isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

/** A copy of the bytes, which later writes of the plugin do not change. */
export function copyBytes(value: unknown): Uint8Array | undefined {
  const view = viewBytes(value);
  return view === undefined ? undefined : cloneBytes(view);
}

/** A copy of an array of ours: a plain Uint8Array with a buffer of its own. */
export function cloneBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

/**
 * Bytes from the wire, for plugin code: a plain Uint8Array with a buffer of its own, never a part
 * of a shared buffer.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const isOwn =
    Object.getPrototypeOf(bytes) === Uint8Array.prototype &&
    bytes.byteLength === bytes.buffer.byteLength;
  return isOwn ? bytes : cloneBytes(bytes);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A text with one character for each byte. */
export function toLatin1(bytes: Uint8Array): string {
  let text = '';
  // A call has a limited number of arguments.
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

/** The inverse of `toLatin1`. */
export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The index of `wanted` in `bytes`, from `from` on, or -1. */
export function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

/** Whether `value` is a typed array. A plugin cannot fake the answer. */
export function isTypedArray(value: object): boolean {
  return typedArrayName(value) !== undefined;
}

/** `Uint8Array`, `Float64Array` …, or `undefined` if it is not a typed array. */
export function typedArrayName(value: object): string | undefined {
  const name: unknown = typedArray.tag.call(value);
  return typeof name === 'string' ? name : undefined;
}

export function isArrayBuffer(value: object): value is ArrayBuffer {
  // A cheap first check. Alone it would accept any object of that prototype.
  if (!(value instanceof ArrayBuffer)) return false;
  try {
    bufferLength.call(value);
    return true;
  } catch {
    return false;
  }
}

type Getter = (this: unknown) => unknown;

function getter(prototype: object, key: PropertyKey): Getter {
  const get = Reflect.getOwnPropertyDescriptor(prototype, key)?.get;
  if (get === undefined) throw new TypeError(`No getter for ${String(key)}`);
  return get;
}

function viewGetters(prototype: object) {
  return {
    buffer: getter(prototype, 'buffer'),
    byteOffset: getter(prototype, 'byteOffset'),
    byteLength: getter(prototype, 'byteLength'),
  };
}

const typedArrayPrototype: object = Object.getPrototypeOf(Uint8Array.prototype);
const typedArray = {
  ...viewGetters(typedArrayPrototype),
  tag: getter(typedArrayPrototype, Symbol.toStringTag),
};
const dataView = viewGetters(DataView.prototype);
const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');

function asNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function asBuffer(value: unknown): ArrayBuffer {
  if (typeof value === 'object' && value !== null && isArrayBuffer(value)) return value;
  throw new TypeError('These bytes lie in memory that is shared');
}
