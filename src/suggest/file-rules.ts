import type { AnyNode } from 'acorn';
import { storageDirectoryOf } from '../../sandbox/wire/storage.js';
import type { Finding, Member } from './finding.js';
import type { Reading } from './reading.js';

/** Functions of `node:fs` that read, and those that write; without `Sync`. */
export const READS: ReadonlySet<string> = new Set(
  'readFile readdir stat lstat access exists realpath open createReadStream opendir'.split(' '),
);
export const WRITES: ReadonlySet<string> = new Set(
  'writeFile appendFile mkdir mkdtemp rm rmdir unlink rename copyFile chmod utimes createWriteStream'.split(
    ' ',
  ),
);

/** The permissions that a call needs to read or write a file, by its path. */
export function fileFindings(
  operation: string,
  node: AnyNode,
  { call }: Member,
  { texts }: Reading,
): readonly Finding[] {
  if (WRITES.has(operation))
    return [{ permission: 'storage', scope: 'true', why: operation, node }];
  const path = texts(call?.arguments[0]);
  if (call === undefined || path === undefined) {
    return [{ permission: 'fs', why: `${operation} of a path that is built at run time`, node }];
  }
  const plain = path.text.replace(/^file:\/\//, '');
  if (STORAGE_DIRECTORIES.some((prefix) => plain === prefix || plain.startsWith(`${prefix}/`))) {
    const file = plain.startsWith('/plugin/') ? plain.slice('/plugin/'.length) : plain;
    const why = `${operation} of ${plain}`;
    return [{ permission: 'storage', scope: 'true', why, node, ...(path.whole ? { file } : {}) }];
  }
  const scope = prefixOf(plain, path.whole);
  return scope === undefined
    ? [{ permission: 'fs', why: `${operation} of a path that is built at run time`, node }]
    : [{ permission: 'fs', scope, why: `${operation} of ${plain}`, node }];
}

/** Directories of a plugin's own storage. */
const STORAGE_DIRECTORIES = [
  '/plugin/data',
  'data',
  './data',
  '/tmp',
  '/home/plugin',
  '/workspace',
  storageDirectoryOf(''),
];

/** The scope of the fs permission for a path: relative to the plugin's directory, or absolute. */
function prefixOf(path: string, whole: boolean): string | undefined {
  const known = whole ? path : path.slice(0, path.lastIndexOf('/'));
  if (known === '') return undefined;
  if (known === '/plugin') return '.';
  const relative = known.startsWith('/plugin/') ? known.slice('/plugin/'.length) : known;
  const plain = relative.replace(/^(\.\/)+/, '').replace(/(?<!\/)\/+$/, '');
  return plain === '' || plain.split('/').includes('..') ? undefined : plain;
}
