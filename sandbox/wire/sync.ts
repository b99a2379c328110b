import { WireViolation } from './failure.js';
import { readUint32, type Utf8, writeUint32 } from './framing.js';
import type { Json } from './messages.js';

/**
 * A synchronous request has a pipe of its own, because its guest reads nothing else until the answer
 * is there. A guest has one open request at a time. Both directions carry parcels:
 *
 * ```
 *   request: { by, method, params }   `by`: the number of the co-resident; 0 if there is one plugin
 *   answer:  { value } or { failure }
 *
 *     4 bytes       4 bytes
 *   ┌─────────────┬─────────────┬──────┬───────┐
 *   │ JSON length │ body length │ JSON │ body  │   unsigned, little-endian
 *   └─────────────┴─────────────┴──────┴───────┘
 * ```
 */
export interface Parcel {
  readonly json: Json;
  readonly body: Uint8Array;
}

export const PARCEL_HEADER_BYTES = 8;

/** Caps of a parcel, checked before memory is allocated. */
export const PARCEL_LIMITS: { readonly maxJsonBytes: number; readonly maxBodyBytes: number } = {
  /** The largest are lists of directories: 10,000 entries. */
  maxJsonBytes: 4 * 1024 * 1024,
  maxBodyBytes: 16 * 1024 * 1024,
};

/** The synchronous request for the compiled code of SQLite. Any plugin may have it. */
export const SQLITE_CODE = 'sqliteCode';

/** The methods that may be synchronous. None of them waits for a person. */
export const SYNC_METHODS: readonly string[] = [
  'readFile',
  'statFile',
  'changeFile',
  'storage',
  SQLITE_CODE,
];

export interface ParcelSpec {
  readonly utf8: Utf8;
  readonly allocate: (bytes: number) => Uint8Array;
}

export function writeParcel(
  json: Json,
  body: Uint8Array,
  { utf8, allocate }: ParcelSpec,
): Uint8Array {
  const text = JSON.stringify(json);
  const length = utf8.byteLength(text);
  const parcel = allocate(PARCEL_HEADER_BYTES + length + body.length);
  writeUint32(parcel, 0, length);
  writeUint32(parcel, 4, body.length);
  utf8.write(text, parcel, PARCEL_HEADER_BYTES);
  parcel.set(body, PARCEL_HEADER_BYTES + length);
  return parcel;
}

/** The lengths in a header. Throws `WireViolation` for a length over its cap. */
export function readParcelHeader(header: Uint8Array): {
  readonly jsonBytes: number;
  readonly bodyBytes: number;
} {
  const jsonBytes = readUint32(header, 0);
  const bodyBytes = readUint32(header, 4);
  // guard: parcel-length-cap
  if (jsonBytes > PARCEL_LIMITS.maxJsonBytes || bodyBytes > PARCEL_LIMITS.maxBodyBytes) {
    throw new WireViolation(`a parcel of ${jsonBytes} and ${bodyBytes} bytes`);
  }
  return { jsonBytes, bodyBytes };
}

/** Reads a whole parcel. Its body is a copy. Throws for JSON that is malformed. */
export function readParcel(bytes: Uint8Array, jsonBytes: number, utf8: Utf8): Parcel {
  const json: Json = JSON.parse(utf8.read(bytes, 0, jsonBytes));
  return { json, body: new Uint8Array(bytes.subarray(jsonBytes)) };
}
