import { Buffer } from './buffer.js';
import { offer } from './denied.js';
import { normalizeEncoding, sequenceLength } from './encodings.js';

/** Bytes to text in pieces: a character that lies across two of them waits for its end. */
export class StringDecoder {
  readonly encoding: string;
  #left: Buffer = Buffer.alloc(0);

  constructor(encoding = 'utf8') {
    this.encoding = normalizeEncoding(encoding) ?? 'utf8';
  }

  write(piece: Uint8Array | string): string {
    if (typeof piece === 'string') return piece;
    const bytes = Buffer.concat([this.#left, piece]);
    const whole = bytes.length - incompleteBytes(bytes, this.encoding);
    this.#left = Buffer.from(bytes.subarray(whole));
    return bytes.subarray(0, whole).toString(this.encoding);
  }

  end(piece?: Uint8Array): string {
    const text = piece === undefined ? '' : this.write(piece);
    const rest = this.#left.toString(this.encoding);
    this.#left = Buffer.alloc(0);
    return text + rest;
  }
}

function incompleteBytes(bytes: Buffer, encoding: string): number {
  if (encoding === 'utf16le') return bytes.length % 2;
  if (encoding === 'base64' || encoding === 'base64url') return bytes.length % 3;
  if (encoding !== 'utf8') return 0;
  // The start of the last character, where it has not all its bytes.
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

export const builtin: object = offer('string_decoder', { StringDecoder });
