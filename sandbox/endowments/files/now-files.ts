import type { StorageArea } from '../../wire/storage.js';
import { cloneBytes, joinBytes } from '../bytes.js';
import type { EndowmentPowers } from '../endowment.js';
import { isDenied, isMissing, makeFault, refuse } from './faults.js';
import type { Kept, Place } from './mounts.js';
import { byName, type FileEntry, TOP, type Tree } from './tree.js';

/**
 * Files as code uses them that does not wait (`readFileSync`). A guest cannot stand still until its
 * host has answered: what is read was copied before, and what is written goes to the host afterwards.
 */
export interface NowFiles {
  read(path: string): Uint8Array;
  write(path: string, content: Uint8Array): void;
  append(path: string, content: Uint8Array): void;
  stat(path: string): FileEntry;
  list(path: string): readonly FileEntry[];
  mkdir(path: string, recursive: boolean): void;
  remove(path: string, recursive: boolean): void;
  move(path: string, to: string): void;
}

export interface NowSpec {
  readonly powers: EndowmentPowers;
  readonly place: (path: string) => Place;
  /** The copy of an area, and of the plugin's own files; throws where it could not be made. */
  readonly tree: (area: StorageArea | 'lent') => Tree;
  /** Hands a change on to the host, after those before it. */
  readonly later: (change: Change) => void;
}

export type Change =
  | { readonly op: 'write'; readonly kept: Kept; readonly content: Uint8Array }
  | { readonly op: 'append'; readonly kept: Kept; readonly content: Uint8Array }
  | { readonly op: 'mkdir'; readonly kept: Kept }
  | { readonly op: 'delete'; readonly kept: Kept; readonly recursive: boolean }
  | { readonly op: 'move'; readonly kept: Kept; readonly to: Kept };

export function makeNowFiles({ powers, place, tree, later }: NowSpec): NowFiles {
  const now = (): number => (powers.grant.time ? powers.clock.now() : 0);

  const keptAt = (path: string): Kept => {
    const { kept } = place(path);
    if (kept === undefined || !powers.grant.storage) throw refuse(powers, path, 'storage');
    return kept;
  };

  /** Where a path is found: in the storage, or else among the files that were lent. */
  const find = (
    path: string,
  ): { readonly entry: FileEntry; readonly in: Tree; readonly at: string } => {
    const { kept, lent } = place(path);
    const isKept = kept !== undefined && powers.grant.storage;
    if (isKept) {
      const own = tree(kept.area);
      const entry = kept.isTop ? TOP : own.look(kept.path);
      if (entry !== undefined) return { entry, in: own, at: kept.path };
    }
    if (powers.grant.filesystem) {
      const files = tree('lent');
      const at = lent === '.' ? '' : lent;
      const entry = files.look(at);
      if (entry !== undefined) return { entry, in: files, at };
    }
    if (isKept || powers.grant.filesystem) throw makeFault('ENOENT', path);
    throw refuse(powers, path, kept?.area === 'data' ? 'storage' : 'filesystem');
  };
  const look = (path: string): FileEntry | undefined => {
    try {
      return find(path).entry;
    } catch (error) {
      if (isMissing(error) || isDenied(error)) return undefined;
      throw error;
    }
  };
  const read = (path: string): Uint8Array => {
    const { entry, in: files, at } = find(path);
    if (entry.kind === 'directory') throw makeFault('EISDIR', path);
    const content = files.content(at);
    if (content !== undefined) return content;
    throw makeFault('EINVAL', path, 'STORAGE_LIMIT', TOO_LARGE);
  };
  const demandFilePlace = (path: string): Kept => {
    const kept = keptAt(path);
    if (kept.isTop || tree(kept.area).look(kept.path)?.kind === 'directory') {
      throw makeFault('EISDIR', path);
    }
    return kept;
  };

  return {
    read,
    stat: (path) => find(path).entry,
    list: (path) => {
      const { kept, lent } = place(path);
      if (find(path).entry.kind !== 'directory') throw makeFault('ENOTDIR', path);
      return byName([
        ...(powers.grant.filesystem ? tree('lent').list(lent === '.' ? '' : lent) : []),
        ...(kept !== undefined && powers.grant.storage ? tree(kept.area).list(kept.path) : []),
      ]);
    },
    write: (path, content) => {
      const kept = demandFilePlace(path);
      const copy = cloneBytes(content);
      tree(kept.area).put(kept.path, copy, now());
      later({ op: 'write', kept, content: copy });
    },
    append: (path, content) => {
      const kept = demandFilePlace(path);
      const before = tree(kept.area).look(kept.path) === undefined ? [] : [read(path)];
      const copy = cloneBytes(content);
      tree(kept.area).put(kept.path, joinBytes([...before, copy]), now());
      later({ op: 'append', kept, content: copy });
    },
    mkdir: (path, recursive) => {
      const kept = keptAt(path);
      const there = look(path);
      if (there !== undefined && (!recursive || there.kind === 'file')) {
        throw makeFault('EEXIST', path);
      }
      tree(kept.area).makeDirectory(kept.path, now());
      later({ op: 'mkdir', kept });
    },
    remove: (path, recursive) => {
      const kept = keptAt(path);
      const own = tree(kept.area);
      if (own.look(kept.path) === undefined) throw makeFault('ENOENT', path);
      if (!recursive && own.list(kept.path).length > 0) throw makeFault('ENOTEMPTY', path);
      own.remove(kept.path);
      later({ op: 'delete', kept, recursive });
    },
    move: (path, to) => {
      const kept = keptAt(path);
      const target = keptAt(to);
      if (kept.area !== target.area) throw makeFault('EINVAL', to, 'EXDEV', ACROSS);
      const own = tree(kept.area);
      if (own.look(kept.path) === undefined) throw makeFault('ENOENT', path);
      if (target.path.startsWith(`${kept.path}/`)) throw makeFault('EINVAL', to);
      if (kept.path === target.path) return;
      own.move(kept.path, target.path);
      later({ op: 'move', kept, to: target });
    },
  };
}

const TOO_LARGE =
  'it is too large to be kept at hand for code that does not wait. Use await fs.promises.readFile(path)';
const ACROSS = 'what lies in the data directory is moved by code that waits, or copied';
