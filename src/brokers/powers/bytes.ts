import { isRecord } from '../../../sandbox/wire/json.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';

/** Where bytes were in a value: the keys that lead to them, and their length. */
export type BytePart = readonly [path: readonly (string | number)[], length: number];

/** A value whose bytes are `null`, and the bytes. */
export interface SplitValue {
  readonly value: unknown;
  readonly parts: readonly BytePart[];
  readonly contents: readonly Uint8Array[];
}

/** Nested objects. The wire refuses deeper values. */
const MAX_DEPTH = 200;

/** Takes the bytes out of a handler's result, because JSON has none. Copies what has bytes inside. */
export function splitBytes(result: unknown): SplitValue {
  const parts: BytePart[] = [];
  const contents: Uint8Array[] = [];
  const split = (value: unknown, path: readonly (string | number)[]): unknown => {
    const bytes = bytesOf(value);
    if (bytes !== undefined) {
      parts.push([path, bytes.length]);
      contents.push(bytes);
      return null;
    }
    if (path.length > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item, at) => split(item, [...path, at]));
    if (!isPlain(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, split(item, [...path, key])]),
    );
  };
  return { value: split(result, []), parts, contents };
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** Objects with a `toJSON` or a class of their own are left to JSON. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) && typeof value['toJSON'] !== 'function'
  );
}

/** Reads the places of bytes in arguments. They come from a guest. `undefined`: malformed. */
export function parseParts(given: unknown): readonly BytePart[] | undefined {
  if (!Array.isArray(given) || given.length > MAX_PARTS) return undefined;
  const parts = given.map((part: unknown): BytePart | undefined => {
    const [path, length]: readonly unknown[] = Array.isArray(part) ? part : [];
    if (!Array.isArray(path) || path.length > MAX_DEPTH) return undefined;
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) return undefined;
    const keys = path.filter((key) => typeof key === 'string' || typeof key === 'number');
    return keys.length === path.length ? [keys, length] : undefined;
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Byte arrays in one request. Stops a list of empty arrays. */
const MAX_PARTS = 1_000;

/**
 * Puts bytes into the arguments of a power, at places where they have `null`. Other places are left
 * as they are, because the guest may name any.
 */
export function placeBytes(
  args: unknown,
  parts: readonly BytePart[],
  content: Uint8Array,
): unknown {
  const holder: Record<string, unknown> = { args };
  let at = 0;
  for (const [path, length] of parts) {
    place(holder, ['args', ...path], content.slice(at, at + length));
    at += length;
  }
  return holder['args'];
}

function place(holder: object, path: readonly (string | number)[], bytes: Uint8Array): void {
  let current: unknown = holder;
  for (const key of path.slice(0, -1)) current = ownValue(current, key);
  const last = path.at(-1);
  if (last === undefined || typeof current !== 'object' || current === null) return;
  // guard: power-bytes-replace-null
  if (ownValue(current, last) !== null) return;
  Object.defineProperty(current, last, {
    value: bytes,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function ownValue(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** Reads a stream of a guest up to `maxBytes`. Throws `tooMany()` beyond. */
export async function collect(
  source: ByteSource,
  maxBytes: number,
  tooMany: () => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await source.pull();
    if (chunk === undefined) return Buffer.concat(chunks);
    size += chunk.length;
    // guard: power-bytes-capped
    if (size > maxBytes) {
      source.cancel('more bytes than the power takes');
      throw tooMany();
    }
    chunks.push(chunk);
  }
}

export function sourceOf(contents: readonly Uint8Array[]): ByteSource {
  const left = contents.flatMap((content) => chunksOf(content));
  return {
    pull: async () => left.shift(),
    cancel: () => {
      left.length = 0;
    },
  };
}

const CHUNK_BYTES = 64 * 1024;

function chunksOf(content: Uint8Array): Uint8Array[] {
  const count = Math.ceil(content.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, at) =>
    content.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  );
}
