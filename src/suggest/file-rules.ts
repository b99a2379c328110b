import type { AnyNode } from 'acorn';
import { storageDirectoryOf } from '../../sandbox/wire/storage.js';
import type { Finding, Member } from './finding.js';
import type { Reading } from './reading.js';
import type { StaticText } from './static-text.js';

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
  member: Member,
  { texts }: Reading,
): readonly Finding[] {
  const given = member.call?.arguments ?? [];
  const [first, second] = given.map((one) => texts(one));
  switch (operation) {
    case 'copyFile':
      return [read(operation, node, first), write(operation, node, second)];
    case 'rename':
      return [write(operation, node, first), write(operation, node, second)];
    case 'open':
      return [(WRITING.test(second?.text ?? '') ? write : read)(operation, node, first)];
    default:
      return [(WRITES.has(operation) ? write : read)(operation, node, first)];
  }
}

/** The flags of `open` with which it changes a file. */
const WRITING = /^[wa]|\+/;

function read(operation: string, node: AnyNode, path: StaticText | undefined): Finding {
  const built: Finding = {
    permission: 'fs',
    why: `${operation} of a path that is built at run time`,
    node,
  };
  if (path === undefined) return built;
  const plain = plainPath(path);
  const why = `${operation} of ${plain}`;
  if (isInStorage(plain)) {
    const file = plain.startsWith('/plugin/') ? plain.slice('/plugin/'.length) : plain;
    return { permission: 'storage', scope: 'true', why, node, ...(path.whole ? { file } : {}) };
  }
  const scope = prefixOf(plain, path.whole);
  return scope === undefined ? built : { permission: 'fs', scope, why, node };
}

/** A write is to the plugin's storage, or to a directory of the host with an absolute path. */
function write(operation: string, node: AnyNode, path: StaticText | undefined): Finding {
  const plain = path === undefined ? undefined : plainPath(path);
  if (path === undefined || plain === undefined || isInStorage(plain)) {
    return { permission: 'storage', scope: 'true', why: operation, node };
  }
  const known = prefixOf(plain, path.whole);
  if (known?.startsWith('/') !== true) {
    const writes = known === undefined ? {} : { writes: known };
    return { permission: 'storage', scope: 'true', why: operation, node, ...writes };
  }
  const isDirectory = !path.whole || operation === 'mkdir';
  const directory = isDirectory ? known : known.slice(0, known.lastIndexOf('/'));
  const why = `${operation} of ${plain}`;
  return directory === '' || SYSTEM.test(`${directory}/`)
    ? { permission: 'fs', why, node }
    : { permission: 'fs', scope: `${directory}:rw`, why, node };
}

/** Directories that no person should be asked to grant. */
const SYSTEM = /^\/(?:dev|etc|proc|sys)\//;

function plainPath({ text }: StaticText): string {
  return text.replace(/^file:\/\//, '');
}

function isInStorage(path: string): boolean {
  return STORAGE_DIRECTORIES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
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
