import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { sep } from 'node:path';
import type { DirectoryReader } from '../../formats/format.js';
import { makePauses } from './pauses.js';
import { systemCode } from '../../errors.js';

/**
 * Reads manifests from disk during discovery. It reads files only, up to the given size. Each
 * operation is synchronous and takes a few microseconds; in the thread pool it would take a
 * hundred. An engine with a thousand plugins makes five thousand of them at startup.
 */
export const diskReader: DirectoryReader = {
  readFile: async (path, maxBytes) => {
    const text = unlessMissing(() => readCapped(path, maxBytes));
    // After the read, so that nothing runs between the check of a path and its opening.
    await pause();
    return text;
  },
  listDirectory: async (path) => unlessMissing(() => readdirSync(path)),
  realpath: async (path) => unlessMissing(() => realpathSync.native(path)),
  realpathIn: async (directory, name) =>
    unlessMissing(() => {
      // `directory` is a real path and `name` is a plain name, so the path needs no normalization.
      const path = directory.endsWith(sep) ? directory + name : directory + sep + name;
      const found = lstatSync(path, { throwIfNoEntry: false });
      // guard: disk-links-resolved
      return found?.isSymbolicLink() === true ? realpathSync.native(path) : found && path;
    }),
  stat: async (path) => {
    // Most paths do not exist, and creating an error is slow.
    const found = unlessMissing(() => statSync(path, { throwIfNoEntry: false }));
    await pause();
    if (found === undefined) return undefined;
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  },
  birthtimeMs: async (path) =>
    unlessMissing(() => {
      const born = statSync(path, { throwIfNoEntry: false })?.birthtimeMs;
      return born !== undefined && born > 0 ? born : undefined;
    }),
};

const pause = makePauses();

function readCapped(path: string, maxBytes: number): string {
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error(`${path} is not a regular file`);
    if (found.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    // One byte more than the file's size: a file that grew is refused, not truncated.
    const buffer = Buffer.allocUnsafe(found.size + 1);
    const bytes = readSync(file, buffer, 0, buffer.length, 0);
    if (bytes > found.size) throw new Error(`${path} grew while it was read`);
    return buffer.toString('utf8', 0, bytes);
  } finally {
    closeSync(file);
  }
}

function unlessMissing<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
