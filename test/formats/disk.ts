import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DirectoryReader } from '../../src/formats/format.js';

/** The disk itself, for fixtures. */
export const disk: DirectoryReader = {
  readFile: async (path, maxBytes) => {
    if ((await lstat(path).catch(() => undefined)) === undefined) return undefined;
    await using file = await openFile(path);
    const { size } = await file.stat();
    if (size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    return file.readFile('utf8');
  },
  listDirectory: (path) => readdir(path).catch(() => undefined),
  realpath: (path) => realpath(path).catch(() => undefined),
  realpathIn: (directory, name) => realpath(join(directory, name)).catch(() => undefined),
  stat: async (path) => {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return undefined;
    if (found.isFile()) return 'file';
    return found.isDirectory() ? 'directory' : 'other';
  },
  birthtimeMs: async (path) => (await stat(path).catch(() => undefined))?.birthtimeMs,
};

async function openFile(path: string): ReturnType<typeof open> {
  const file = await open(path);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${path} is no regular file`);
}
