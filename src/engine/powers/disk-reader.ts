import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import type { ReadPower } from '../../formats/format.js';

/** Reads manifests from disk, for whoever finds plugins. Files only, and no more than asked for. */
export const diskReader: ReadPower = {
  readFile: (path, maxBytes) => unlessMissing(() => readCapped(path, maxBytes)),
  listDirectory: (path) => unlessMissing(() => readdir(path)),
  realpath: (path) => unlessMissing(() => realpath(path)),
  stat: (path) =>
    unlessMissing(async () => {
      const found = await stat(path);
      return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
    }),
};

async function readCapped(path: string, maxBytes: number): Promise<string> {
  // Without O_NONBLOCK, opening a pipe that nobody writes to would never end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat().then((found) => {
      if (found.isFile()) return found;
      throw new Error(`${path} is no regular file`);
    });
    if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    // One byte more than there was: a file that grew meanwhile is over the cap, not cut.
    const buffer = Buffer.alloc(maxBytes + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function unlessMissing<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
