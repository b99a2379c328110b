import { withCode } from './endowments/coded-error.js';

/** What a value may cost that a plugin hands out. */
export interface SerializeLimits {
  /** Bytes of JSON, in UTF-8. */
  readonly maxResultBytes: number;
  /** Levels of arrays and objects in one another. */
  readonly maxResultDepth: number;
  /** Values in all. A few arrays that hold one another make millions of them. */
  readonly maxResultNodes: number;
}

/**
 * Copies a plugin's value out as JSON text, by the rules of `JSON.stringify`: `toJSON` is called,
 * functions, symbols and `undefined` are left out, and what remains is plain data. Every property is
 * read once, under the caps: what was counted is what leaves. `undefined` alone becomes `null`.
 *
 * Throws an error of code `RESULT_INVALID` for what has no JSON (a circle, a BigInt, a property
 * that throws where it is read), and of code `RESULT_TOO_LARGE` for what is beyond the caps.
 */
export function serialize(value: unknown, limits: SerializeLimits): string {
  const writer: Writer = {
    limits,
    bytesLeft: limits.maxResultBytes,
    nodesLeft: limits.maxResultNodes,
    above: [],
    refusal: undefined,
  };
  try {
    return write(writer, value, '') ?? spendOn(writer, 'null');
  } catch (error) {
    if (writer.refusal !== undefined) throw writer.refusal;
    throw withCode(new Error(`The result cannot be read: ${sayFault(error)}`), 'RESULT_INVALID');
  }
}

interface Writer {
  readonly limits: SerializeLimits;
  bytesLeft: number;
  nodesLeft: number;
  /** The arrays and objects that the present value lies in. */
  readonly above: object[];
  /** Why this ends, where it is we who refuse: plugin code under way may swallow what we throw. */
  refusal: Error | undefined;
}

/** The JSON of a value, or `undefined` for one that JSON leaves out. */
function write(writer: Writer, value: unknown, key: string | number): string | undefined {
  switch (typeof value) {
    case 'string':
      return writeText(writer, value);
    case 'number':
      return spendOn(writer, Number.isFinite(value) ? String(value) : 'null');
    case 'boolean':
      return spendOn(writer, value ? 'true' : 'false');
    case 'bigint':
      return refuse(writer, 'RESULT_INVALID', 'The result holds a BigInt, which JSON has none of');
    case 'object':
      return isObject(value) ? writeObject(writer, value, key) : spendOn(writer, 'null');
    default:
      return undefined;
  }
}

function writeText(writer: Writer, text: string): string {
  // Longer than what is left however it is written: not even quoted.
  if (text.length > writer.bytesLeft) return refuseSize(writer);
  const quoted = JSON.stringify(text);
  spend(writer, WIDE.test(quoted) ? byteLength(quoted) : quoted.length);
  return quoted;
}

const WIDE = /[^\0-\x7f]/;

function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // JSON.stringify leaves surrogates in pairs only: two units of two bytes each.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

function writeObject(
  writer: Writer,
  object: Record<string, unknown>,
  key: string | number,
): string | undefined {
  const toJSON = object['toJSON'];
  if (typeof toJSON !== 'function') return writeContents(writer, object);
  const plain: unknown = Reflect.apply(toJSON, object, [String(key)]);
  return isObject(plain) ? writeContents(writer, plain) : write(writer, plain, key);
}

function writeContents(writer: Writer, object: Record<string, unknown>): string | undefined {
  const primitive = unbox(object);
  if (primitive !== undefined) return write(writer, primitive, '');
  const { above, limits } = writer;
  if (above.includes(object)) {
    return refuse(writer, 'RESULT_INVALID', 'The result is circular: it holds itself');
  }
  if (above.length >= limits.maxResultDepth) {
    return refuse(
      writer,
      'RESULT_TOO_LARGE',
      `The result is nested deeper than ${limits.maxResultDepth} levels`,
    );
  }
  above.push(object);
  const text = Array.isArray(object) ? writeArray(writer, object) : writeRecord(writer, object);
  above.pop();
  return text;
}

function writeArray(writer: Writer, list: readonly unknown[]): string {
  // A Proxy of an array answers with any length that it likes.
  const length = Math.trunc(Number(list.length)) || 0;
  count(writer, length);
  spend(writer, Math.max(length + 1, 2));
  let text = '';
  for (let at = 0; at < length; at += 1) {
    const item = write(writer, list[at], at) ?? spendOn(writer, 'null');
    text += at === 0 ? item : `,${item}`;
  }
  return `[${text}]`;
}

function writeRecord(writer: Writer, record: Record<string, unknown>): string {
  const keys = Object.keys(record);
  count(writer, keys.length);
  spend(writer, 2);
  let text = '';
  for (const key of keys) {
    const value = write(writer, record[key], key);
    if (value === undefined) continue;
    const name = writeText(writer, key);
    spend(writer, text === '' ? 1 : 2);
    text += text === '' ? `${name}:${value}` : `,${name}:${value}`;
  }
  return `{${text}}`;
}

/** What a boxed primitive holds. Plain objects, which is nearly all, are told by their prototype. */
function unbox(object: object): boolean | number | string | bigint | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return undefined;
  if (object instanceof Number) return Number.prototype.valueOf.call(object);
  if (object instanceof String) return String.prototype.valueOf.call(object);
  if (object instanceof Boolean) return Boolean.prototype.valueOf.call(object);
  if (object instanceof BigInt) return BigInt.prototype.valueOf.call(object);
  return undefined;
}

/** Counts the values of an array or object before any of them is read. */
function count(writer: Writer, values: number): void {
  writer.nodesLeft -= values;
  if (writer.nodesLeft < 0) {
    refuse(
      writer,
      'RESULT_TOO_LARGE',
      `The result holds more than ${writer.limits.maxResultNodes} values`,
    );
  }
}

function spendOn(writer: Writer, ascii: string): string {
  spend(writer, ascii.length);
  return ascii;
}

function spend(writer: Writer, bytes: number): void {
  writer.bytesLeft -= bytes;
  if (writer.bytesLeft < 0) refuseSize(writer);
}

function refuseSize(writer: Writer): never {
  return refuse(
    writer,
    'RESULT_TOO_LARGE',
    `The result is larger than ${writer.limits.maxResultBytes} bytes of JSON`,
  );
}

function refuse(writer: Writer, code: string, message: string): never {
  writer.refusal ??= withCode(new Error(message), code);
  throw writer.refusal;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The words of what plugin code threw while it was read, which may throw again. */
function sayFault(error: unknown): string {
  try {
    const message: unknown = isObject(error) ? error['message'] : error;
    return typeof message === 'string' ? message : 'it throws where it is read';
  } catch {
    return 'it throws where it is read';
  }
}
