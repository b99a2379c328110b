import { cloneBytes } from '../bytes.js';
import type { StorageCopy } from '../storage/client.js';
import { makeFault } from './faults.js';

/** One directory entry, as plugin code sees it. */
export interface FileEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** A directory that always exists. */
export const TOP: FileEntry = Object.freeze({
  name: '',
  kind: 'directory',
  bytes: 0,
  modifiedMs: 0,
});

/** Sorts the entries of one directory. Of two with the same name, the later wins. */
export function byName(entries: readonly FileEntry[]): readonly FileEntry[] {
  const named = new Map(entries.map((entry) => [entry.name, entry]));
  return [...named.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

interface Node {
  readonly kind: FileEntry['kind'];
  readonly bytes: number;
  readonly modifiedMs: number;
  /** Absent if the host did not send the content. */
  readonly content: Uint8Array | undefined;
}

/** A copy of a storage area, with the local changes since. */
export interface Tree {
  /** Replaces all entries. */
  fill(entries: StorageCopy['entries']): void;
  look(path: string): FileEntry | undefined;
  /** The entries of a directory. */
  list(path: string): readonly FileEntry[];
  /** `undefined` if the file exists but its content was not copied. */
  content(path: string): Uint8Array | undefined;
  put(path: string, content: Uint8Array, nowMs: number): void;
  makeDirectory(path: string, nowMs: number): void;
  remove(path: string): void;
  move(from: string, to: string): void;
}

/** Paths are relative to the area and normal. `''` is its top, which always exists. */
export function makeTree(): Tree {
  let nodes = new Map<string, Node>();
  const top: Node = { kind: 'directory', bytes: 0, modifiedMs: 0, content: undefined };
  const at = (path: string): Node | undefined => (path === '' ? top : nodes.get(path));
  const entry = (path: string, { kind, bytes, modifiedMs }: Node): FileEntry => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    kind,
    bytes,
    modifiedMs,
  });
  const below = (path: string): readonly (readonly [string, Node])[] => {
    const prefix = path === '' ? '' : `${path}/`;
    return [...nodes].filter(([key]) => key.startsWith(prefix) && key !== path);
  };
  const makeParents = (path: string, nowMs: number): void => {
    const slash = path.lastIndexOf('/');
    if (slash > 0) tree.makeDirectory(path.slice(0, slash), nowMs);
  };

  const tree: Tree = {
    fill: (entries) => {
      nodes = new Map(entries.map(({ name, ...node }) => [name, node]));
    },
    look: (path) => {
      const node = at(path);
      return node && entry(path, node);
    },
    list: (path) => {
      const depth = path === '' ? 0 : path.length + 1;
      return below(path)
        .filter(([key]) => !key.slice(depth).includes('/'))
        .map(([key, node]) => entry(key, node));
    },
    content: (path) => {
      const held = nodes.get(path)?.content;
      return held && cloneBytes(held);
    },
    put: (path, content, nowMs) => {
      makeParents(path, nowMs);
      nodes.set(path, { kind: 'file', bytes: content.length, modifiedMs: nowMs, content });
    },
    makeDirectory: (path, nowMs) => {
      const there = at(path);
      if (there?.kind === 'file') throw makeFault('ENOTDIR', path);
      if (there !== undefined) return;
      makeParents(path, nowMs);
      nodes.set(path, { ...top, modifiedMs: nowMs });
    },
    remove: (path) => {
      for (const [key] of below(path)) nodes.delete(key);
      nodes.delete(path);
    },
    move: (from, to) => {
      const moved = [...below(from)];
      const node = nodes.get(from);
      tree.remove(from);
      tree.remove(to);
      makeParents(to, 0);
      if (node !== undefined) nodes.set(to, node);
      for (const [key, each] of moved) nodes.set(`${to}${key.slice(from.length)}`, each);
    },
  };
  return tree;
}
