import { always } from './compartment-globals.js';

/** Bytes of a text, or a text of bytes, in one of Node's encodings. */
interface Codec {
  /** The bytes in memory of their own. Characters that the encoding does not have are handled as Node handles them. */
  readonly encode: (text: string) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => string;
  /** Bytes of a text, as `Buffer.byteLength` counts them. */
  readonly count: (text: string) => number;
  /** The largest number of bytes, at most `limit`, that does not cut a character in two. */
  readonly cut: (bytes: Uint8Array, limit: number) => number;
  /** Whether each character takes two bytes or four. */
  readonly isWide: boolean;
}

/** The codec of an encoding's name in any case. `undefined`: Node has no such encoding. */
export function codecOf(name: string): Codec | undefined {
  return CODECS.get(name) ?? CODECS.get(name.toLowerCase());
}

/** Arguments of one call of `String.fromCharCode`: more would need too much of the stack. */
const CHARACTERS_AT_ONCE = 8_192;

let encoder: { encode(text: string): Uint8Array } | undefined;
let decoder: { decode(bytes: Uint8Array): string } | undefined;

function toUtf8(text: string): Uint8Array {
  const short = text.length <= SHORT ? bytesOfAscii(text) : undefined;
  return short ?? (encoder ??= new (always('TextEncoder'))()).encode(text);
}

/** Characters of a text for which a call of the platform takes longer than a loop. */
const SHORT = 64;

/** `undefined` for a text with other characters. */
function bytesOfAscii(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    bytes[at] = unit;
  }
  return bytes;
}

const fromUtf8 = (bytes: Uint8Array): string =>
  (decoder ??= new (always('TextDecoder'))('utf-8', { ignoreBOM: true })).decode(bytes);

const cutAnywhere = (_: Uint8Array, limit: number): number => limit;

const utf8: Codec = {
  encode: toUtf8,
  decode: fromUtf8,
  count: (text) => (text.length <= SHORT ? countUtf8(text) : toUtf8(text).length),
  cut: (bytes, limit) => {
    let at = limit;
    while (at > 0 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
    return at;
  },
  isWide: false,
};

function countUtf8(text: string): number {
  let count = 0;
  // A pair of surrogates is one character of four bytes. A lone one becomes U+FFFD, of three.
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return count;
}

const latin1: Codec = {
  encode: (text) => {
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return bytes;
  },
  decode: textOfUnits,
  count: (text) => text.length,
  cut: cutAnywhere,
  isWide: false,
};

const ascii: Codec = {
  ...latin1,
  decode: (bytes) => textOfUnits(bytes.map((byte) => byte & 0x7f)),
};

const utf16: Codec = {
  encode: (text) => {
    const bytes = new Uint8Array(2 * text.length);
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      bytes[2 * at] = unit;
      bytes[2 * at + 1] = unit >> 8;
    }
    return bytes;
  },
  decode: (bytes) => {
    const units = new Uint16Array(bytes.length >> 1);
    for (let at = 0; at < units.length; at += 1) {
      units[at] = (bytes[2 * at] ?? 0) | ((bytes[2 * at + 1] ?? 0) << 8);
    }
    return textOfUnits(units);
  },
  count: (text) => 2 * text.length,
  cut: (_, limit) => limit - (limit % 2),
  isWide: true,
};

const hex: Codec = {
  /** The pairs before the first that is not of hexadecimal digits. */
  encode: (text) => {
    const bytes = new Uint8Array(text.length >> 1);
    for (let at = 0; at < bytes.length; at += 1) {
      const high = valueIn(HEX_VALUES, text.charCodeAt(2 * at));
      const low = valueIn(HEX_VALUES, text.charCodeAt(2 * at + 1));
      if (high < 0 || low < 0) return bytes.slice(0, at);
      bytes[at] = 16 * high + low;
    }
    return bytes;
  },
  decode: (bytes) => {
    const digits = new Uint8Array(2 * bytes.length);
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      digits[2 * at] = HEX_DIGITS.charCodeAt(byte >> 4);
      digits[2 * at + 1] = HEX_DIGITS.charCodeAt(byte & 15);
    }
    return fromUtf8(digits);
  },
  count: (text) => text.length >>> 1,
  cut: cutAnywhere,
  isWide: false,
};

const base64: Codec = {
  encode: bytesOfBase64,
  decode: (bytes) => base64Of(bytes, BASE64_DIGITS, true),
  count: (text) => {
    const padded = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    return ((text.length - padded) * 3) >>> 2;
  },
  cut: cutAnywhere,
  isWide: false,
};

const base64url: Codec = {
  ...base64,
  decode: (bytes) => base64Of(bytes, BASE64URL_DIGITS, false),
};

const HEX_DIGITS = '0123456789abcdef';
const BASE64_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE64_DIGITS = `${BASE64_LETTERS}+/`;
const BASE64URL_DIGITS = `${BASE64_LETTERS}-_`;

const HEX_VALUES = valuesOf(HEX_DIGITS, 'ABCDEF', 10);
/** Node reads both alphabets. */
const BASE64_VALUES = valuesOf(BASE64_DIGITS, '-_', 62);

const CODECS: ReadonlyMap<string, Codec> = new Map([
  ['utf8', utf8],
  ['utf-8', utf8],
  ['ascii', ascii],
  ['latin1', latin1],
  ['binary', latin1],
  ['ucs2', utf16],
  ['ucs-2', utf16],
  ['utf16le', utf16],
  ['utf-16le', utf16],
  ['hex', hex],
  ['base64', base64],
  ['base64url', base64url],
]);

/** The value of each ASCII character: its place in `digits`, or for those of `more` from `first` on. Others are -1. */
function valuesOf(digits: string, more: string, first: number): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let at = 0; at < digits.length; at += 1) values[digits.charCodeAt(at)] = at;
  for (let at = 0; at < more.length; at += 1) values[more.charCodeAt(at)] = first + at;
  return values;
}

function valueIn(values: Int8Array, character: number): number {
  return values[character] ?? -1;
}

/** Skips what is no digit, and ends at the padding. */
function bytesOfBase64(text: string): Uint8Array {
  const padding = text.indexOf('=');
  const length = padding < 0 ? text.length : padding;
  const bytes = new Uint8Array(Math.ceil((3 * length) / 4));
  let written = 0;
  let bits = 0;
  let digits = 0;
  for (let at = 0; at < length; at += 1) {
    const value = valueIn(BASE64_VALUES, text.charCodeAt(at));
    if (value >= 0) {
      bits = (bits << 6) | value;
      digits += 1;
      if (digits === 4) {
        bytes[written] = bits >> 16;
        bytes[written + 1] = bits >> 8;
        bytes[written + 2] = bits;
        written += 3;
        bits = 0;
        digits = 0;
      }
    }
  }
  if (digits >= 2) {
    bits <<= 6 * (4 - digits);
    bytes[written] = bits >> 16;
    if (digits === 3) bytes[written + 1] = bits >> 8;
    written += digits - 1;
  }
  return written === bytes.length ? bytes : bytes.slice(0, written);
}

function base64Of(bytes: Uint8Array, alphabet: string, isPadded: boolean): string {
  const rest = bytes.length % 3;
  const whole = bytes.length - rest;
  const unpadded = Math.ceil((4 * bytes.length) / 3);
  const digits = new Uint8Array(isPadded ? 4 * Math.ceil(bytes.length / 3) : unpadded).fill(
    PADDING,
  );
  let written = 0;
  const write = (bits: number, count: number): void => {
    for (let at = 0; at < count; at += 1) {
      digits[written + at] = alphabet.charCodeAt((bits >> (18 - 6 * at)) & 63);
    }
    written += count;
  };
  for (let at = 0; at < whole; at += 3) {
    write(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0), 4);
  }
  if (rest > 0) write(((bytes[whole] ?? 0) << 16) | ((bytes[whole + 1] ?? 0) << 8), rest + 1);
  return fromUtf8(digits);
}

const PADDING = 0x3d;

/** The text of these UTF-16 units. */
function textOfUnits(units: Uint8Array | Uint16Array): string {
  let text = '';
  for (let at = 0; at < units.length; at += CHARACTERS_AT_ONCE) {
    const some = units.subarray(at, at + CHARACTERS_AT_ONCE);
    text += Reflect.apply(String.fromCharCode, undefined, some);
  }
  return text;
}
