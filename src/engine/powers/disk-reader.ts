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
import type { ReadPower } from '../../formats/format.js';
import { makePauses } from './pauses.js';

/**
 * Reads manifests from disk, for whoever finds plugins. Files only, and no more than asked for.
 *
 * Each look is a few microseconds of the host's time; handed to the thread pool it would take a
 * hundred. An engine with a thousand plugins takes five thousand of them when it starts.
 */
export const diskReader: ReadPower = {
  readFile: async (path, maxBytes) => {
    const text = unlessMissing(() => readCapped(path, maxBytes));
    // Afterwards: nothing comes between the look where a file lies and its opening.
    await pause();
    return text;
  },
  listDirectory: async (path) => unlessMissing(() => readdirSync(path)),
  realpath: async (path) => unlessMissing(() => realpathSync.native(path)),
  realpathIn: async (directory, name) =>
    unlessMissing(() => {
      // A real path and a name: there is nothing to put straight.
      const path = directory.endsWith(sep) ? directory + name : directory + sep + name;
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isSymbolicLink() === true ? realpathSync.native(path) : found && path;
    }),
  stat: async (path) => {
    // Most looks find nothing, and an error is dear to make.
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
  // Without O_NONBLOCK, opening a pipe that nobody writes to would never end.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error(`${path} is no regular file`);
    if (found.size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    // One byte more than there was: a file that grew meanwhile is refused, not cut.
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
