import { posix } from 'node:path';
import type { DirectoryReader } from '../../src/formats/format.js';

/** Files by path; a text that starts with `-> ` is a link to what follows. */
export function makeMemory(files: Readonly<Record<string, string>>): DirectoryReader {
  const resolve = (path: string): string => {
    const text = files[posix.normalize(path)];
    return text?.startsWith('-> ') === true ? text.slice(3) : posix.normalize(path);
  };
  const prefix = (path: string): string => (resolve(path) === '/' ? '/' : `${resolve(path)}/`);
  const below = (path: string): string[] =>
    Object.keys(files).filter((file) => file.startsWith(prefix(path)));
  const stat = (path: string): 'file' | 'directory' | undefined => {
    if (files[resolve(path)] !== undefined) return 'file';
    return below(path).length > 0 ? 'directory' : undefined;
  };
  return {
    readFile: async (path, maxBytes) => {
      const text = files[resolve(path)];
      if (text !== undefined && text.length > maxBytes) throw new Error(`${path} is too large`);
      return text;
    },
    listDirectory: async (path) => {
      const start = prefix(path).length;
      const names = below(path).map((file) => file.slice(start).split('/')[0] ?? '');
      // As a disk does: in no order that means anything.
      return stat(path) === 'directory' ? [...new Set(names)].toReversed() : undefined;
    },
    realpath: async (path) => (stat(path) === undefined ? undefined : resolve(path)),
    realpathIn: async (directory, name) => {
      const path = posix.join(directory, name);
      return stat(path) === undefined ? undefined : resolve(path);
    },
    stat: async (path) => stat(path),
    birthtimeMs: async () => undefined,
  };
}

export const minimal: Readonly<Record<string, unknown>> = {
  manifestVersion: 1,
  id: 'mini',
  name: 'Mini',
  pandora: '>=1.0.0',
  provides: {},
};

/** A manifest's text: the smallest valid one, changed. */
export function manifestText(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...minimal, ...changes });
}
