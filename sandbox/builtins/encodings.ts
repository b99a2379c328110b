/** Texts to bytes and back, in the encodings that Node's buffers know. */
export interface Encoding {
  encode(text: string): number[] | Uint8Array;
  decode(bytes: Uint8Array): string;
}

/** The encoding of that name, in any case and with or without its dash. */
export function encodingNamed(name: string | undefined): Encoding {
  const encoding = ENCODINGS[normalizeEncoding(name) ?? ''];
  if (encoding === undefined) {
    throw Object.assign(new TypeError(`Unknown encoding: ${String(name)}`), {
      code: 'ERR_UNKNOWN_ENCODING',
    });
  }
  return encoding;
}

export function normalizeEncoding(name: string | undefined): string | undefined {
  const plain = String(name ?? 'utf8').toLowerCase();
  const known = ALIASES[plain] ?? plain;
  return Object.hasOwn(ENCODINGS, known) ? known : undefined;
}

const ALIASES: Readonly<Record<string, string>> = {
  'utf-8': 'utf8',
  binary: 'latin1',
  ucs2: 'utf16le',
  'ucs-2': 'utf16le',
  'utf-16le': 'utf16le',
};

function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    let point = text.charCodeAt(index);
    if (point < 0x80) {
      bytes[at++] = point;
      continue;
    }
    if (point >= 0xd800 && point <= 0xdfff) {
      const low = point < 0xdc00 ? text.charCodeAt(index + 1) : 0;
      if (low >= 0xdc00 && low <= 0xdfff) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        index += 1;
      } else point = 0xfffd;
    }
    if (point < 0x800) bytes[at++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12);
      else {
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (point & 0x3f);
  }
  return bytes.subarray(0, at);
}

/** Malformed bytes become U+FFFD, one for each longest malformed start of a character. */
function decodeUtf8(bytes: Uint8Array): string {
  const points: number[] = [];
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const { point, length } = readCharacter(bytes, at);
    points.push(point);
    at += length;
    if (points.length === 4096) text += String.fromCodePoint(...points.splice(0));
  }
  return text + String.fromCodePoint(...points);
}

/** The character at an offset, and how many bytes it takes. */
export function readCharacter(
  bytes: Uint8Array,
  at: number,
): { readonly point: number; readonly length: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { point: first, length: 1 };
  const length = sequenceLength(first);
  if (length === 0) return { point: 0xfffd, length: 1 };
  let point = first & (0xff >> (length + 1));
  for (let index = 1; index < length; index += 1) {
    const next = bytes[at + index];
    if (next === undefined || !continues(first, index, next)) {
      return { point: 0xfffd, length: index };
    }
    point = (point << 6) | (next & 0x3f);
  }
  return { point, length };
}

/** Bytes in the character that begins with this one; 0 where none does. */
export function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/** Whether a byte may follow: overlong forms, surrogates and what lies beyond Unicode may not. */
function continues(first: number, index: number, next: number): boolean {
  if (next < 0x80 || next > 0xbf) return false;
  if (index > 1) return true;
  if (first === 0xe0) return next >= 0xa0;
  if (first === 0xed) return next <= 0x9f;
  if (first === 0xf0) return next >= 0x90;
  return first !== 0xf4 || next <= 0x8f;
}

function unitsToText(units: Iterable<number> & { readonly length: number }): string {
  let text = '';
  const all = [...units];
  for (let at = 0; at < all.length; at += 4096) {
    text += String.fromCharCode(...all.slice(at, at + 4096));
  }
  return text;
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function encodeBase64(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let width = 0;
  for (const character of text) {
    if (character === '=') break;
    const digit = `${DIGITS}+/`.indexOf(
      character === '-' ? '+' : character === '_' ? '/' : character,
    );
    if (digit < 0) continue;
    bits = ((bits << 6) | digit) & 0xffff;
    width += 6;
    if (width >= 8) {
      width -= 8;
      bytes.push((bits >> width) & 0xff);
    }
  }
  return bytes;
}

function decodeBase64(bytes: Uint8Array, last: string, pad: string): string {
  const digits = DIGITS + last;
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const given = Math.min(3, bytes.length - at);
    for (let index = 0; index < 4; index += 1) {
      parts.push(index <= given ? (digits[(group >> (18 - 6 * index)) & 0x3f] ?? '') : pad);
    }
  }
  return parts.join('');
}

function encodeHex(text: string): number[] {
  const bytes: number[] = [];
  for (let at = 0; at + 2 <= text.length; at += 2) {
    const pair = text.slice(at, at + 2);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) break;
    bytes.push(Number.parseInt(pair, 16));
  }
  return bytes;
}

const encodeLatin1 = (text: string): number[] =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index) & 0xff);

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  utf8: { encode: encodeUtf8, decode: decodeUtf8 },
  latin1: { encode: encodeLatin1, decode: unitsToText },
  ascii: { encode: encodeLatin1, decode: (bytes) => unitsToText(bytes.map((byte) => byte & 0x7f)) },
  hex: {
    encode: encodeHex,
    decode: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  },
  base64: { encode: encodeBase64, decode: (bytes) => decodeBase64(bytes, '+/', '=') },
  base64url: { encode: encodeBase64, decode: (bytes) => decodeBase64(bytes, '-_', '') },
  utf16le: {
    encode: (text) =>
      Array.from({ length: text.length * 2 }, (_, index) => {
        const unit = text.charCodeAt(index >> 1);
        return index % 2 === 0 ? unit & 0xff : unit >> 8;
      }),
    decode: (bytes) =>
      unitsToText(
        Array.from(
          { length: bytes.length >> 1 },
          (_, index) => (bytes[index * 2] ?? 0) | ((bytes[index * 2 + 1] ?? 0) << 8),
        ),
      ),
  },
};
