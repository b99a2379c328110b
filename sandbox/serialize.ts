import { viewBytes } from './endowments/bytes.js';
import { withCode } from './endowments/errors.js';
import { type Losses, losesContents } from './losses.js';

/** Limits of a value that a plugin returns. */
export interface SerializeLimits {
  /** Bytes of JSON, in UTF-8. */
  readonly maxResultBytes: number;
  /** Levels of nested arrays and objects. */
  readonly maxResultDepth: number;
  /** Values in total. Stops a few arrays that contain one another and expand to millions. */
  readonly maxResultNodes: number;
}

export interface SerializeOptions {
  /** The subject of the errors' messages. Default: "The result". */
  readonly subject?: string;
  /**
   * Takes the bytes in the value, which JSON does not have: typed arrays and ArrayBuffers. In the
   * text they are `null`. `path`: the keys that lead to them. Absent: bytes are plain objects.
   */
  readonly onBytes?: (path: readonly (string | number)[], bytes: Uint8Array) => void;
  /**
   * Collects what JSON omits or changes. A property that is `undefined` is not one: it is as good as
   * absent. Default: nothing does.
   */
  readonly losses?: Losses;
}

/**
 * Serializes a plugin's value as JSON text, by the rules of `JSON.stringify`: calls `toJSON`, and
 * omits functions, symbols and `undefined`. Reads every property once, so the checked value is the
 * written value. `undefined` alone becomes `null`.
 *
 * Throws `RESULT_INVALID` for a value without JSON (a cycle, a BigInt, a throwing property), and
 * `RESULT_TOO_LARGE` over the limits.
 */
export function serialize(
  value: unknown,
  limits: SerializeLimits,
  { subject = 'The result', onBytes, losses }: SerializeOptions = {},
): string {
  const writer: Writer = {
    limits,
    subject,
    onBytes,
    losses,
    path: [],
    keys: [],
    bytesLeft: limits.maxResultBytes,
    nodesLeft: limits.maxResultNodes,
    above: [],
    refusal: undefined,
  };
  try {
    return write(writer, value, '') ?? spendOn(writer, 'null');
  } catch (error) {
    // guard: result-refusal-rethrown
    if (writer.refusal !== undefined) throw writer.refusal;
    throw withCode(new Error(`${subject} cannot be read: ${sayFault(error)}`), 'RESULT_INVALID');
  }
}

interface Writer {
  readonly limits: SerializeLimits;
  readonly subject: string;
  readonly onBytes: SerializeOptions['onBytes'];
  readonly losses: Losses | undefined;
  /** The keys that lead to the current value. Only kept for `onBytes`. */
  readonly path: (string | number)[];
  /** The key of each member of `above`; of the first, the empty text. */
  readonly keys: (string | number)[];
  bytesLeft: number;
  nodesLeft: number;
  /** The arrays and objects that contain the current value. */
  readonly above: object[];
  /** The error that this code threw. Plugin code on the stack may catch it. */
  refusal: Error | undefined;
}

/** The JSON of a value, or `undefined` if JSON omits it. */
function write(writer: Writer, value: unknown, key: string | number): string | undefined {
  switch (typeof value) {
    case 'string':
      return writeText(writer, value, key);
    case 'number':
      if (Number.isFinite(value)) return spendOn(writer, String(value));
      writer.losses?.add(value, placeFor(writer, key));
      return spendOn(writer, 'null');
    case 'boolean':
      return spendOn(writer, value ? 'true' : 'false');
    case 'bigint':
      return refuse(
        writer,
        'RESULT_INVALID',
        `${writer.subject} contains a BigInt${placeOf(writer, key)}, which JSON does not have`,
      );
    case 'object':
      return isObject(value) ? writeObject(writer, value, key) : spendOn(writer, 'null');
    case 'undefined':
      if (typeof key === 'number') writer.losses?.add(value, placeFor(writer, key));
      return undefined;
    default:
      writer.losses?.add(value, placeFor(writer, key));
      return undefined;
  }
}

/** `key`: that of the text, if it is a value. */
function writeText(writer: Writer, text: string, key?: string | number): string {
  // Longer than the rest of the budget, even without quotes.
  if (text.length > writer.bytesLeft) return refuseSize(writer, key);
  const quoted = JSON.stringify(text);
  spend(writer, WIDE.test(quoted) ? byteLength(quoted) : quoted.length, key);
  return quoted;
}

const WIDE = /[^\0-\x7f]/;

function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    // JSON.stringify leaves only paired surrogates: two units of two bytes each.
    if (unit >= 0x80) bytes += unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}

function writeObject(
  writer: Writer,
  object: Record<string, unknown>,
  key: string | number,
): string | undefined {
  const bytes = writer.onBytes === undefined ? undefined : viewBytes(object);
  if (bytes !== undefined) {
    writer.onBytes?.([...writer.path], bytes);
    return spendOn(writer, 'null');
  }
  const toJSON = object['toJSON'];
  if (typeof toJSON !== 'function') return writeContents(writer, object, key);
  const plain: unknown = Reflect.apply(toJSON, object, [String(key)]);
  return isObject(plain) ? writeContents(writer, plain, key) : write(writer, plain, key);
}

function writeContents(
  writer: Writer,
  object: Record<string, unknown>,
  key: string | number,
): string | undefined {
  const primitive = unbox(object);
  if (primitive !== undefined) return write(writer, primitive, key);
  const { above, keys, limits } = writer;
  // guard: result-not-circular
  if (above.includes(object)) {
    return refuse(
      writer,
      'RESULT_INVALID',
      `${writer.subject} is circular: ${circleOf(writer, object, key)}`,
    );
  }
  // guard: result-depth-cap
  if (above.length >= limits.maxResultDepth) {
    return refuse(
      writer,
      'RESULT_TOO_LARGE',
      `${writer.subject} is nested deeper than ${limits.maxResultDepth} levels${placeOf(writer, key)}`,
    );
  }
  above.push(object);
  keys.push(key);
  const text = Array.isArray(object) ? writeArray(writer, object) : writeRecord(writer, object);
  above.pop();
  keys.pop();
  return text;
}

function writeArray(writer: Writer, list: readonly unknown[]): string {
  // A Proxy of an array can return any length.
  const length = Math.trunc(Number(list.length)) || 0;
  count(writer, length);
  spend(writer, Math.max(length + 1, 2));
  let text = '';
  for (let at = 0; at < length; at += 1) {
    const item = writeMember(writer, list[at], at) ?? spendOn(writer, 'null');
    text += at === 0 ? item : `,${item}`;
  }
  return `[${text}]`;
}

function writeRecord(writer: Writer, record: Record<string, unknown>): string {
  const keys = Object.keys(record);
  if (writer.losses !== undefined) noteLoss(writer, writer.losses, record, keys.length);
  count(writer, keys.length);
  spend(writer, 2);
  let text = '';
  for (const key of keys) {
    const value = writeMember(writer, record[key], key);
    if (value === undefined) continue;
    const name = writeText(writer, key);
    spend(writer, text === '' ? 1 : 2);
    text += text === '' ? `${name}:${value}` : `,${name}:${value}`;
  }
  return `{${text}}`;
}

/** Collects an object of a class that keeps more than JSON reads of it. It is the last of `above`. */
function noteLoss({ keys: path }: Writer, losses: Losses, object: object, keys: number): void {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || !isObject(prototype)) return;
  if (losesContents(object, prototype, keys)) losses.add(object, pathOf(path));
}

function writeMember(writer: Writer, value: unknown, key: string | number): string | undefined {
  if (writer.onBytes === undefined) return write(writer, value, key);
  writer.path.push(key);
  const text = write(writer, value, key);
  writer.path.pop();
  return text;
}

/** The primitive in a boxed value. The prototype shows that nearly all objects are plain. */
function unbox(object: object): boolean | number | string | bigint | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return undefined;
  if (object instanceof Number) return Number.prototype.valueOf.call(object);
  if (object instanceof String) return String.prototype.valueOf.call(object);
  if (object instanceof Boolean) return Boolean.prototype.valueOf.call(object);
  if (object instanceof BigInt) return BigInt.prototype.valueOf.call(object);
  return undefined;
}

/** Counts the values of an array or object before it reads them. */
function count(writer: Writer, values: number): void {
  writer.nodesLeft -= values;
  // guard: result-node-cap
  if (writer.nodesLeft < 0) {
    refuse(
      writer,
      'RESULT_TOO_LARGE',
      `${writer.subject} contains more than ${writer.limits.maxResultNodes} values${placeOf(writer)}`,
    );
  }
}

function spendOn(writer: Writer, ascii: string): string {
  spend(writer, ascii.length);
  return ascii;
}

function spend(writer: Writer, bytes: number, key?: string | number): void {
  writer.bytesLeft -= bytes;
  // guard: result-byte-cap
  if (writer.bytesLeft < 0) refuseSize(writer, key);
}

function refuseSize(writer: Writer, key?: string | number): never {
  return refuse(
    writer,
    'RESULT_TOO_LARGE',
    `${writer.subject} is larger than ${writer.limits.maxResultBytes} bytes of JSON${placeOf(writer, key)}`,
  );
}

/** Characters of a path in a message. */
const MAX_PATH = 160;

/** ` at rows[0].id`: the value of that key in the current object. Without a key, that object. */
function placeOf(writer: Writer, key?: string | number): string {
  const path = key === undefined ? pathOf(writer.keys) : placeFor(writer, key);
  return path === '' ? '' : ` at ${path}`;
}

/** `rows[0].id`: the value of that key in the current object; empty for the whole. */
function placeFor({ keys }: Writer, key: string | number): string {
  return pathOf([...keys, key]);
}

function circleOf(writer: Writer, object: object, key: string | number): string {
  const { keys, above } = writer;
  const outer = pathOf(keys.slice(0, above.indexOf(object) + 1));
  return `${pathOf([...keys, key])} is ${outer === '' ? 'the whole of it' : outer} again`;
}

/** As code writes it: `list[0].self`. The first key is the root's. */
function pathOf([, ...keys]: readonly (string | number)[]): string {
  let text = '';
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!NAME.test(key)) text += `[${JSON.stringify(key.slice(0, MAX_PATH))}]`;
    else text += text === '' ? key : `.${key}`;
    if (text.length > MAX_PATH) return `${text.slice(0, MAX_PATH)}…`;
  }
  return text;
}

const NAME = /^[A-Za-z_$][\w$]{0,99}$/;

function refuse(writer: Writer, code: string, message: string): never {
  writer.refusal ??= withCode(new Error(message), code);
  throw writer.refusal;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The message of a value that plugin code threw during a read. Reading it may throw again. */
function sayFault(error: unknown): string {
  try {
    const message: unknown = isObject(error) ? error['message'] : error;
    return typeof message === 'string' ? message : 'it throws where it is read';
  } catch {
    return 'it throws where it is read';
  }
}
