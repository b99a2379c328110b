import { Buffer } from './buffer.js';
import { always } from './compartment-globals.js';
import { refusal } from './denied.js';
import { builtin as fs } from './fs.js';
import { ReadStream, WriteStream } from './fs-streams.js';
import { stderr, stdout } from './standard-streams.js';

/** What `write` takes after the file: data, perhaps numbers or an encoding, and a function at the end. */
type Written = readonly [data: unknown, ...rest: unknown[]];

/** Writes to standard output or standard error by its number. No other file is open. */
function writeTo(operation: string, fd: unknown, [data, ...rest]: Written): number {
  if (fd !== 1 && fd !== 2) throw refusal('fs', operation);
  const [offset, length] = rest.filter((one) => typeof one === 'number');
  const bytes = typeof data === 'string' ? Buffer.from(data) : dataOf(data);
  const part =
    typeof data === 'string' ? bytes : bytes.subarray(offset, length && (offset ?? 0) + length);
  (fd === 1 ? stdout : stderr).write(part);
  return part.length;
}

function dataOf(data: unknown): Buffer {
  if (data instanceof Uint8Array) return Buffer.from(data);
  throw new TypeError('The data must be a text or bytes');
}

/** Calls the function at the end of the arguments, later, as Node does. */
function answer(args: readonly unknown[], work: () => readonly unknown[]): void {
  const callback = args.findLast((one) => typeof one === 'function');
  if (typeof callback !== 'function') throw new TypeError('The last argument must be a function');
  let answered: readonly unknown[];
  try {
    answered = [null, ...work()];
  } catch (error) {
    answered = [error];
  }
  always('queueMicrotask')(() => void Reflect.apply(callback, undefined, answered));
}

/** `node:fs` of a program, with streams. The bundles of other plugins do without their weight. */
export const builtin: object = Object.assign(fs, {
  ReadStream,
  WriteStream,
  write: (fd: unknown, ...args: Written) =>
    answer(args, () => [writeTo('write', fd, args), args[0]]),
  writeSync: (fd: unknown, ...args: Written) => writeTo('writeSync', fd, args),
  // The host has it as soon as it is written.
  fsync: (...args: unknown[]) => answer(args, () => []),
  fsyncSync: () => {},
  createReadStream: (path: unknown, options?: unknown): ReadStream => new ReadStream(path, options),
  createWriteStream: (path: unknown, options?: unknown): WriteStream =>
    new WriteStream(path, options),
});
