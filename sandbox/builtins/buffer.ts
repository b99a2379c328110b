import { numberMethods } from './buffer-numbers.js';
import { search, swap } from './buffer-search.js';
import { encodingNamed, normalizeEncoding } from './encodings.js';

type Content = string | ArrayBufferLike | ArrayLike<number> | Iterable<number> | object;

/** `Buffer`, over memory of its own: there is no pool that buffers would share. */
class ByteBuffer extends Uint8Array {
  static poolSize = 8192;

  constructor(value: unknown, second?: unknown, third?: unknown) {
    // `new Buffer('text')` is long deprecated, and old packages still do it.
    if (typeof value === 'string') super(encode(value, second));
    else super(value as ArrayBuffer, second as number, third as number);
  }

  static override from(...args: unknown[]): Buffer {
    const [value, second, third] = args;
    return toBuffer(value, second, third);
  }

  static override of(...bytes: number[]): Buffer {
    return Buffer.from(bytes);
  }

  static alloc(size: number, fill?: string | number | Uint8Array, encoding?: string): Buffer {
    const buffer = make(size);
    return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
  }

  static allocUnsafe(size: number): Buffer {
    return make(size);
  }

  static allocUnsafeSlow(size: number): Buffer {
    return make(size);
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  static isEncoding(name: unknown): boolean {
    return typeof name === 'string' && name !== '' && normalizeEncoding(name) !== undefined;
  }

  static byteLength(value: string | ArrayBufferView | ArrayBuffer, encoding?: string): number {
    return typeof value === 'string'
      ? encodingNamed(encoding).encode(value).length
      : value.byteLength;
  }

  static concat(list: readonly Uint8Array[], total?: number): Buffer {
    const length = total ?? list.reduce((sum, part) => sum + part.length, 0);
    const all = make(length);
    let at = 0;
    for (const part of list) {
      if (at >= length) break;
      all.set(part.subarray(0, length - at), at);
      at += part.length;
    }
    return all;
  }

  static compare(a: Uint8Array, b: Uint8Array): number {
    const shared = Math.min(a.length, b.length);
    for (let index = 0; index < shared; index += 1) {
      const difference = (a[index] ?? 0) - (b[index] ?? 0);
      if (difference !== 0) return Math.sign(difference);
    }
    return Math.sign(a.length - b.length);
  }

  get parent(): ArrayBufferLike {
    return this.buffer;
  }

  get offset(): number {
    return this.byteOffset;
  }

  override toString(encoding?: string, start = 0, end: number = this.length): string {
    return encodingNamed(encoding).decode(this.subarray(Math.max(0, start), end));
  }

  toJSON(): { type: 'Buffer'; data: number[] } {
    return { type: 'Buffer', data: Array.from(this) };
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  compare(
    target: Uint8Array,
    targetStart = 0,
    targetEnd: number = target.length,
    start = 0,
    end: number = this.length,
  ): number {
    return Buffer.compare(this.subarray(start, end), target.subarray(targetStart, targetEnd));
  }

  write(text: string, ...rest: unknown[]): number {
    const encoding = rest.find((value) => typeof value === 'string');
    const [at = 0, most = this.length] = rest.filter((value) => typeof value === 'number');
    const bytes = encodingNamed(encoding).encode(text);
    const count = Math.min(bytes.length, most, this.length - at);
    for (let index = 0; index < count; index += 1) this[at + index] = bytes[index] ?? 0;
    return count;
  }

  copy(target: Uint8Array, targetStart = 0, start = 0, end: number = this.length): number {
    const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }

  /** Unlike that of other arrays of bytes: a view, not a copy. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end);
  }

  override subarray(start?: number, end?: number): Buffer {
    const view = new Uint8Array(this.buffer, this.byteOffset, this.length).subarray(start, end);
    return wrap(view);
  }

  override fill(value: unknown, ...rest: unknown[]): this {
    const encoding = rest.find((option) => typeof option === 'string');
    const [start = 0, end = this.length] = rest.filter((option) => typeof option === 'number');
    const pattern =
      typeof value === 'string'
        ? encodingNamed(encoding).encode(value)
        : value instanceof Uint8Array
          ? value
          : [Number(value) & 0xff];
    if (pattern.length === 0) super.fill(0, start, end);
    for (let at = start; at < end && pattern.length > 0; at += 1) {
      this[at] = pattern[(at - start) % pattern.length] ?? 0;
    }
    return this;
  }

  override indexOf(value: unknown, from: number | string = 0, encoding?: string): number {
    return search(this, toPattern(value, typeof from === 'string' ? from : encoding), from, 1);
  }

  override lastIndexOf(value: unknown, from?: number | string, encoding?: string): number {
    return search(this, toPattern(value, encoding), from ?? this.length, -1);
  }

  override includes(value: unknown, from: number | string = 0, encoding?: string): boolean {
    return this.indexOf(value, from, encoding) >= 0;
  }

  swap16(): this {
    return swap(this, 2);
  }

  swap32(): this {
    return swap(this, 4);
  }

  swap64(): this {
    return swap(this, 8);
  }
}

for (const [name, method] of Object.entries(numberMethods())) {
  Object.defineProperty(ByteBuffer.prototype, name, {
    value: method,
    writable: true,
    configurable: true,
  });
}

export type Buffer = ByteBuffer;

/** Old packages call it without `new`, too. */
export const Buffer: typeof ByteBuffer = new Proxy(ByteBuffer, {
  apply: (_, __, [value, ...rest]: unknown[]) =>
    typeof value === 'number' ? make(value) : toBuffer(value, rest[0], rest[1]),
});
Object.defineProperty(ByteBuffer.prototype, 'constructor', { value: Buffer, writable: true });

function make(size: unknown): Buffer {
  if (typeof size !== 'number' || !(size >= 0)) {
    throw Object.assign(new RangeError(`The value of "size" is out of range: ${String(size)}`), {
      code: 'ERR_OUT_OF_RANGE',
    });
  }
  return new Buffer(size);
}

function encode(text: string, encoding: unknown): ArrayLike<number> {
  return encodingNamed(typeof encoding === 'string' ? encoding : undefined).encode(text);
}

function wrap(bytes: Uint8Array): Buffer {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);
}

function toBuffer(value: unknown, second: unknown, third: unknown): Buffer {
  if (typeof value === 'string') {
    return copyOf(encode(value, second));
  }
  if (value instanceof ArrayBuffer) {
    const at = typeof second === 'number' ? second : 0;
    return new Buffer(value, at, typeof third === 'number' ? third : value.byteLength - at);
  }
  if (typeof value === 'object' && value !== null) {
    if (
      'type' in value &&
      value.type === 'Buffer' &&
      'data' in value &&
      Array.isArray(value.data)
    ) {
      return copyOf(value.data);
    }
    const primitive: unknown = value.valueOf();
    if (primitive !== value) return toBuffer(primitive, second, third);
    return copyOf(value as Content & ArrayLike<number>);
  }
  throw Object.assign(
    new TypeError('The first argument must be a string, bytes, an ArrayBuffer or an array'),
    { code: 'ERR_INVALID_ARG_TYPE' },
  );
}

function toPattern(value: unknown, encoding: string | undefined): ArrayLike<number> {
  if (typeof value === 'number') return [value & 0xff];
  return typeof value === 'string'
    ? encode(value, encoding)
    : toBuffer(value, undefined, undefined);
}

function copyOf(values: ArrayLike<number> | Iterable<number>): Buffer {
  const bytes = Uint8Array.from(Array.from(values, (value) => Number(value) & 0xff));
  return wrap(bytes);
}
