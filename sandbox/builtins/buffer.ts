import { Buffer as PlainBuffer } from 'buffer/index.js';
import { always } from './compartment-globals.js';

/**
 * The `Buffer` of the package of that name, corrected to agree with Node on malformed UTF-8, on
 * malformed hexadecimal digits, on the encoding base64url, and on the names of methods.
 */
export const Buffer: typeof PlainBuffer = PlainBuffer;
export type Buffer = PlainBuffer;

const { isEncoding } = PlainBuffer;
const { toString, write } = PlainBuffer.prototype;

let utf8: { decode(bytes: Uint8Array): string } | undefined;

Object.assign(PlainBuffer, {
  isEncoding: (name: unknown): boolean => nameOf(name) === 'base64url' || isEncoding(String(name)),
});

Object.assign(PlainBuffer.prototype, {
  toString: decode,
  toLocaleString: decode,
  write(this: Buffer, text: string, ...rest: (number | string | undefined)[]): number {
    const encoding = nameOf(rest.find((value) => typeof value === 'string'));
    const args = rest.map((value) =>
      encoding === 'base64url' && typeof value === 'string' ? 'base64' : value,
    );
    const content = encoding === 'hex' ? leadingHexPairs(text) : text;
    return Reflect.apply(write, this, [content, ...args]);
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

function decode(this: Buffer, encoding?: string, start = 0, end: number = this.length): string {
  switch (nameOf(encoding ?? 'utf8')) {
    case 'utf8':
    case 'utf-8':
      utf8 ??= new (always('TextDecoder'))('utf-8', { ignoreBOM: true });
      return utf8.decode(this.subarray(Math.max(0, start), Math.max(0, end)));
    case 'base64url':
      return Reflect.apply(toString, this, ['base64', start, end])
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');
    default:
      return Reflect.apply(toString, this, [encoding, start, end]);
  }
}

function nameOf(encoding: unknown): string {
  return String(encoding).toLowerCase();
}

function leadingHexPairs(text: string): string {
  const end = text.search(/[^0-9a-f]/i);
  return end < 0 ? text : text.slice(0, end - (end % 2));
}
