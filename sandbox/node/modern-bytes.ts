/** Base64 and hexadecimal text of bytes, as later versions of the language have them on `Uint8Array`. */
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const OF_ALPHABET: Readonly<Record<string, string>> = {
  base64: STANDARD,
  base64url: `${STANDARD.slice(0, -2)}-_`,
};
const HEX = '0123456789abcdef';

interface Base64Options {
  readonly alphabet?: string;
  readonly omitPadding?: boolean;
  readonly lastChunkHandling?: string;
}

function alphabetOf({ alphabet = 'base64' }: Base64Options): string {
  const letters = Object.hasOwn(OF_ALPHABET, alphabet) ? OF_ALPHABET[alphabet] : undefined;
  if (letters === undefined) throw new TypeError('expected alphabet to be base64 or base64url');
  return letters;
}

function toBase64(bytes: Uint8Array, options: Base64Options): string {
  const letters = alphabetOf(options);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const group = [18, 12, 6, 0].map((shift) => letters[(bits >> shift) & 63] ?? '');
    const kept = group.slice(0, Math.min(left, 3) + 1);
    if (options.omitPadding !== true) while (kept.length < 4) kept.push('=');
    parts.push(kept.join(''));
  }
  return parts.join('');
}

function fromBase64(text: unknown, options: Base64Options): number[] {
  const letters = alphabetOf(options);
  const clean = textOf(text).replace(/[\t\n\f\r ]+/g, '');
  const data = clean.replace(/={1,2}$/, '');
  const padding = clean.length - data.length;
  const { lastChunkHandling = 'loose' } = options;
  const rest = data.length % 4;
  if (rest === 1 || (padding > 0 && rest + padding !== 4)) throw malformed('base64');
  if (lastChunkHandling === 'strict' && rest !== 0 && padding === 0) throw malformed('base64');
  const isCut = lastChunkHandling === 'stop-before-partial' && rest !== 0 && padding === 0;
  const end = isCut ? data.length - rest : data.length;
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (let at = 0; at < end; at += 1) {
    const value = letters.indexOf(data.charAt(at));
    if (value < 0) throw malformed('base64');
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push((bits >> count) & 255);
    }
  }
  if (lastChunkHandling === 'strict' && (bits & ((1 << count) - 1)) !== 0)
    throw malformed('base64');
  return bytes;
}

function fromHex(text: unknown): number[] {
  const digits = textOf(text);
  if (digits.length % 2 !== 0 || /[^\da-f]/i.test(digits)) throw malformed('hexadecimal');
  const bytes: number[] = [];
  for (let at = 0; at < digits.length; at += 2) bytes.push(parseInt(digits.slice(at, at + 2), 16));
  return bytes;
}

function textOf(text: unknown): string {
  if (typeof text !== 'string') throw new TypeError('expected input to be a string');
  return text;
}

function malformed(kind: string): SyntaxError {
  return new SyntaxError(`The string is not valid ${kind}.`);
}

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/** Static functions of `Uint8Array`. */
export const byteStatics: Methods = {
  fromBase64(text: unknown, options: Base64Options = {}) {
    return Uint8Array.from(fromBase64(text, options));
  },
  fromHex(text: unknown) {
    return Uint8Array.from(fromHex(text));
  },
};

/** Writes what fits, and returns the characters read and the bytes written. */
function writeInto(
  target: Uint8Array,
  bytes: readonly number[],
  readOf: (written: number) => number,
): object {
  const fitting = bytes.slice(0, target.length);
  target.set(fitting);
  return { read: readOf(fitting.length), written: fitting.length };
}

/** Methods of its prototype. */
export const byteMethods: Methods = {
  toBase64(this: Uint8Array, options: Base64Options = {}) {
    return toBase64(this, options);
  },
  toHex(this: Uint8Array) {
    return Array.from(this, (byte) => `${HEX[byte >> 4] ?? ''}${HEX[byte & 15] ?? ''}`).join('');
  },
  setFromBase64(this: Uint8Array, text: string, options: Base64Options = {}) {
    const bytes = fromBase64(text, options);
    // Only whole groups of three bytes are written into an array that is too short.
    const fitting =
      bytes.length <= this.length ? bytes : bytes.slice(0, this.length - (this.length % 3));
    const isAll = fitting.length === bytes.length;
    return writeInto(this, fitting, (written) => (isAll ? text.length : (written / 3) * 4));
  },
  setFromHex(this: Uint8Array, text: string) {
    return writeInto(this, fromHex(text), (written) => written * 2);
  },
};
