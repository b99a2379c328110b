import { Buffer as PlainBuffer } from 'buffer/index.js';
import { codecOf } from './buffer-codecs.js';
import { findBytes } from './buffer-search.js';

/**
 * The `Buffer` of the package of that name, with codecs and a search of ours: the package's own push each byte onto an
 * array. It agrees with Node also on malformed UTF-8, malformed hexadecimal digits and base64url, and has Node's names
 * of methods.
 */
export const Buffer: typeof PlainBuffer = PlainBuffer;
export type Buffer = PlainBuffer;

const { from: plainFrom, byteLength } = PlainBuffer;
const { equals, fill, indexOf, lastIndexOf, toString, write } = PlainBuffer.prototype;
const { fill: fillBytes } = Uint8Array.prototype;

Object.assign(PlainBuffer, {
  isEncoding: (name: unknown): boolean => typeof name === 'string' && codecOf(name) !== undefined,

  from: (value: unknown, ...rest: readonly unknown[]): Buffer => {
    const codec = typeof value === 'string' ? codecFor(rest[0]) : undefined;
    // The package throws the error of an unknown encoding.
    if (typeof value !== 'string' || codec === undefined) {
      return Reflect.apply(plainFrom, PlainBuffer, [value, ...rest]);
    }
    return Object.setPrototypeOf(codec.encode(value), PlainBuffer.prototype);
  },

  byteLength: (value: unknown, encoding?: unknown): number => {
    const codec = codecFor(encoding) ?? codecOf('utf8');
    if (typeof value === 'string' && codec !== undefined) return codec.count(value);
    return Reflect.apply(byteLength, PlainBuffer, [value, encoding]);
  },
});

Object.assign(PlainBuffer.prototype, {
  toString: decode,
  toLocaleString: decode,

  write(this: Buffer, text: unknown, ...rest: readonly unknown[]): number {
    const encoding = rest.find((value) => typeof value === 'string');
    const [offset = 0, length = this.length] = rest.filter((value) => value !== encoding);
    const codec = codecFor(encoding);
    // The package throws the errors of other arguments.
    if (
      typeof text !== 'string' ||
      codec === undefined ||
      !isCount(offset, this.length) ||
      !isCount(length, Infinity)
    ) {
      const plain = rest.map((value) => (value === 'base64url' ? 'base64' : value));
      return Reflect.apply(write, this, [text, ...plain]);
    }
    const bytes = codec.encode(text);
    const room = Math.min(length, this.length - offset);
    const count = bytes.length <= room ? bytes.length : codec.cut(bytes, room);
    this.set(bytes.subarray(0, count), offset);
    return count;
  },

  fill(this: Buffer, value: unknown, ...rest: readonly unknown[]): Buffer {
    if (typeof value !== 'number' || rest.some((one) => one !== undefined)) {
      return Reflect.apply(fill, this, [value, ...rest]);
    }
    Reflect.apply(fillBytes, this, [value]);
    return this;
  },

  equals(this: Buffer, other: unknown): boolean {
    return Reflect.apply(equals, this, [asBuffer(other)]);
  },

  indexOf(this: Buffer, wanted: unknown, from?: unknown, encoding?: unknown): number {
    return (
      findBytes(this, bytesToFind(wanted, from, encoding), from, true) ??
      Reflect.apply(indexOf, this, [wanted, from, encoding])
    );
  },

  lastIndexOf(this: Buffer, wanted: unknown, from?: unknown, encoding?: unknown): number {
    return (
      findBytes(this, bytesToFind(wanted, from, encoding), from, false) ??
      Reflect.apply(lastIndexOf, this, [wanted, from, encoding])
    );
  },
});

/** Node's older methods for one encoding each, which packages such as busboy call. */
for (const encoding of ['ascii', 'base64', 'base64url', 'hex', 'latin1', 'ucs2', 'utf8'] as const) {
  Object.assign(PlainBuffer.prototype, {
    [`${encoding}Slice`](this: Buffer, start?: number, end?: number): string {
      return this.toString(encoding, start, end);
    },
    [`${encoding}Write`](this: Buffer, text: string, offset?: number, length?: number): number {
      return this.write(text, offset ?? 0, length ?? this.length - (offset ?? 0), encoding);
    },
  });
}

for (const name of ['readBigUInt64LE', 'readBigUInt64BE', 'writeBigUInt64LE', 'writeBigUInt64BE']) {
  const method: unknown = Reflect.get(PlainBuffer.prototype, name);
  Object.assign(PlainBuffer.prototype, { [name.replace('UInt', 'Uint')]: method });
}

function decode(
  this: Buffer,
  encoding?: string | number,
  start = 0,
  end: number = this.length,
): string {
  const codec = codecOf(String(encoding ?? 'utf8'));
  // The package throws the error of an unknown encoding. It reads an empty name as UTF-8.
  if (codec === undefined) return Reflect.apply(toString, this, [encoding, start, end]);
  return codec.decode(this.subarray(Math.max(0, start), Math.max(0, end)));
}

/** The codec for a text's bytes. No name, an empty one, and what is no name are UTF-8. */
function codecFor(encoding: unknown): ReturnType<typeof codecOf> {
  return codecOf(typeof encoding === 'string' && encoding !== '' ? encoding : 'utf8');
}

function isCount(value: unknown, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
}

/** A plain array of bytes as a buffer on the same memory. */
function asBuffer(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || PlainBuffer.isBuffer(value)) return value;
  const { buffer, byteOffset, byteLength: length } = value;
  return Object.setPrototypeOf(new Uint8Array(buffer, byteOffset, length), PlainBuffer.prototype);
}

/** `undefined`: the package finds it. It finds UTF-16 at whole characters. */
function bytesToFind(wanted: unknown, from: unknown, encoding: unknown): Uint8Array | undefined {
  if (wanted instanceof Uint8Array) return wanted;
  const name = typeof from === 'string' ? from : encoding;
  const codec = codecFor(name);
  return typeof wanted === 'string' && codec?.isWide === false ? codec.encode(wanted) : undefined;
}
