import { relative, resolve, sep } from 'node:path';
import { BulkheadError } from '../../errors.js';
import { type KeptPlugin, readKept } from '../../lock/kept.js';
import type { Lock } from '../../lock/lock.js';
import { formatLock, parseLock } from '../../lock/lock-text.js';
import type { LockFiles } from '../powers/lock-files.js';

/** A lock file, as it is whenever it is asked for. */
export interface HeldLock {
  readonly path: string;
  /** Throws `INVALID_LOCK`. Where there is no file it locks nothing. */
  read(): Lock;
  /** Throws `INVALID_LOCK`. No other process changes it meanwhile. */
  change(next: (lock: Lock) => Lock): void;
  /** What is kept under that address; `undefined` where it is not there, or is anything else. */
  kept(address: string): KeptPlugin | undefined;
  keep(address: string, text: string): void;
  /** The directory that a source names. */
  directoryOf(source: string): string;
  /** How a lock names a directory. */
  sourceOf(directory: string): string;
}

export function holdLock(files: LockFiles): HeldLock {
  let lastText: string | undefined;
  let last: Lock = EMPTY;
  const readText = (text: string | undefined): Lock => {
    if (text === lastText) return last;
    const read = text === undefined ? { ok: true as const, value: EMPTY } : parseLock(text);
    if (!read.ok) throw invalidLock(files.path, read.problems);
    lastText = text;
    last = read.value;
    return last;
  };
  return {
    path: files.path,
    read: () => readText(files.read()),
    change: (next) => files.change((text) => formatLock(next(readText(text)))),
    kept: (address) => {
      const text = files.readKept(address);
      return text === undefined ? undefined : readKept(text, address);
    },
    keep: files.keep,
    directoryOf: (source) => resolve(files.directory, source),
    sourceOf: (directory) => {
      const path = relative(files.directory, directory).split(sep).join('/');
      if (path === '') return '.';
      return path.startsWith('..') ? path : `./${path}`;
    },
  };
}

const EMPTY: Lock = { version: 1, plugins: {} };

function invalidLock(file: string, problems: readonly string[]): BulkheadError<'INVALID_LOCK'> {
  return new BulkheadError(
    'INVALID_LOCK',
    `The lock file ${file} cannot be read, and nothing runs by half of it: ${problems.join('; ')}.`,
    { file, problems },
  );
}
