import type { StorageArea } from '../../wire/storage.js';
import { cloneBytes, joinBytes } from '../bytes.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { asFault, isDenied, isMissing, makeFault, refuse } from './faults.js';
import type { HostFilesNow } from './host-files.js';
import { mayAskHost, type Place, type StoredPlace, writesToHost } from './mounts.js';
import { byName, type FileEntry, TOP, type Tree } from './tree.js';

/**
 * Synchronous file operations (`readFileSync`). In the plugin's storage they read and change a copy,
 * whose changes go to the host afterwards. Elsewhere each is one request that blocks the guest.
 */
export interface SyncFiles {
  read(path: string): Uint8Array;
  write(path: string, content: Uint8Array): void;
  append(path: string, content: Uint8Array): void;
  stat(path: string): FileEntry;
  list(path: string): readonly FileEntry[];
  mkdir(path: string, recursive: boolean): void;
  remove(path: string, recursive: boolean): void;
  move(path: string, to: string): void;
}

export interface SyncFilesSpec {
  readonly capabilities: EndowmentCapabilities;
  readonly place: (path: string) => Place;
  /** The copy of an area. Throws if the copy failed. */
  readonly tree: (area: StorageArea) => Tree;
  readonly hostFiles: HostFilesNow;
  /** Queues a change for the host. */
  readonly later: (change: Change) => void;
}

export type Change =
  | { readonly op: 'write'; readonly stored: StoredPlace; readonly content: Uint8Array }
  | { readonly op: 'append'; readonly stored: StoredPlace; readonly content: Uint8Array }
  | { readonly op: 'mkdir'; readonly stored: StoredPlace }
  | { readonly op: 'delete'; readonly stored: StoredPlace; readonly recursive: boolean }
  | { readonly op: 'move'; readonly stored: StoredPlace; readonly to: StoredPlace };

export function makeSyncFiles(spec: SyncFilesSpec): SyncFiles {
  const { capabilities, place, tree, hostFiles, later } = spec;
  const now = (): number => (capabilities.grant.time ? capabilities.clock.now() : 0);

  const storedAt = (path: string): StoredPlace => {
    const { stored } = place(path);
    if (stored === undefined || !capabilities.grant.storage)
      throw refuse(capabilities, path, 'storage');
    return stored;
  };
  /** The entry in the storage, if the path is there. */
  const inStorage = (
    path: string,
  ): { readonly entry: FileEntry; readonly tree: Tree; readonly at: string } | undefined => {
    const { stored } = place(path);
    if (stored === undefined || !capabilities.grant.storage) return undefined;
    const own = tree(stored.area);
    const entry = stored.isTop ? TOP : own.look(stored.path);
    return entry && { entry, tree: own, at: stored.path };
  };
  /** A request to the host for a path that the storage does not have. */
  const fromHost = <Answer>(path: string, work: (at: string) => Answer): Answer => {
    const where = place(path);
    const isStored = where.stored !== undefined && capabilities.grant.storage;
    if (!mayAskHost(where, capabilities.grant)) {
      if (isStored) throw makeFault('ENOENT', path);
      throw refuse(capabilities, path, where.stored?.area === 'data' ? 'storage' : 'fs');
    }
    try {
      return work(where.hostPath);
    } catch (error) {
      throw asFault(error, path);
    }
  };
  const stat = (path: string): FileEntry => {
    if (place(path).isAbove) return TOP;
    const found = inStorage(path)?.entry ?? fromHost(path, hostFiles.stat);
    if (found === undefined) throw makeFault('ENOENT', path);
    return found;
  };
  const look = (path: string): FileEntry | undefined => {
    try {
      return stat(path);
    } catch (error) {
      if (isMissing(error) || isDenied(error)) return undefined;
      throw error;
    }
  };
  const read = (path: string): Uint8Array => {
    const found = inStorage(path);
    if (found === undefined) return fromHost(path, hostFiles.read);
    if (found.entry.kind === 'directory') throw makeFault('EISDIR', path);
    const content = found.tree.content(found.at);
    if (content !== undefined) return content;
    throw makeFault('EINVAL', path, 'STORAGE_LIMIT', TOO_LARGE);
  };
  const demandFilePlace = (path: string): StoredPlace => {
    const stored = storedAt(path);
    if (stored.isTop || tree(stored.area).look(stored.path)?.kind === 'directory') {
      throw makeFault('EISDIR', path);
    }
    return stored;
  };
  const isOnHost = (path: string): boolean => writesToHost(place(path), capabilities.grant);

  return {
    read,
    stat,
    list: (path) => {
      const { stored } = place(path);
      const own =
        stored !== undefined && capabilities.grant.storage ? tree(stored.area) : undefined;
      const found = stat(path);
      if (found.kind !== 'directory') throw makeFault('ENOTDIR', path);
      return byName([
        ...fromHostOrNothing(() => fromHost(path, hostFiles.list), inStorage(path) !== undefined),
        ...(own === undefined || stored === undefined ? [] : own.list(stored.path)),
      ]);
    },
    write: (path, content) => {
      if (isOnHost(path)) {
        return void fromHost(path, (at) => hostFiles.change({ op: 'write', path: at }, content));
      }
      const stored = demandFilePlace(path);
      const copy = cloneBytes(content);
      tree(stored.area).put(stored.path, copy, now());
      later({ op: 'write', stored, content: copy });
    },
    append: (path, content) => {
      if (isOnHost(path)) {
        return void fromHost(path, (at) => hostFiles.change({ op: 'append', path: at }, content));
      }
      const stored = demandFilePlace(path);
      const before = tree(stored.area).look(stored.path) === undefined ? [] : [read(path)];
      const copy = cloneBytes(content);
      tree(stored.area).put(stored.path, joinBytes([...before, copy]), now());
      later({ op: 'append', stored, content: copy });
    },
    mkdir: (path, recursive) => {
      const there = look(path);
      if (there !== undefined && (!recursive || there.kind === 'file')) {
        throw makeFault('EEXIST', path);
      }
      if (isOnHost(path)) {
        if (there === undefined)
          fromHost(path, (at) => hostFiles.change({ op: 'mkdir', path: at }));
        return;
      }
      const stored = storedAt(path);
      tree(stored.area).makeDirectory(stored.path, now());
      later({ op: 'mkdir', stored });
    },
    remove: (path, recursive) => {
      if (isOnHost(path)) {
        const done = fromHost(path, (at) =>
          hostFiles.change({ op: 'delete', path: at, recursive }),
        );
        if (!done) throw makeFault('ENOENT', path);
        return;
      }
      const stored = storedAt(path);
      const own = tree(stored.area);
      if (own.look(stored.path) === undefined) throw makeFault('ENOENT', path);
      if (!recursive && own.list(stored.path).length > 0) throw makeFault('ENOTEMPTY', path);
      own.remove(stored.path);
      later({ op: 'delete', stored, recursive });
    },
    move: (path, to) => {
      if (isOnHost(path) !== isOnHost(to)) throw makeFault('EINVAL', to, 'EXDEV', ACROSS);
      if (isOnHost(path)) {
        return void fromHost(path, (at) =>
          hostFiles.change({ op: 'move', path: at, to: place(to).hostPath }),
        );
      }
      const stored = storedAt(path);
      const target = storedAt(to);
      if (stored.area !== target.area) throw makeFault('EINVAL', to, 'EXDEV', ACROSS);
      const own = tree(stored.area);
      if (own.look(stored.path) === undefined) throw makeFault('ENOENT', path);
      if (target.path.startsWith(`${stored.path}/`)) throw makeFault('EINVAL', to);
      if (stored.path === target.path) return;
      own.move(stored.path, target.path);
      later({ op: 'move', stored, to: target });
    },
  };
}

/** The host's part of a list. A directory of the storage need not exist on the host. */
function fromHostOrNothing(
  work: () => readonly FileEntry[],
  isOptional: boolean,
): readonly FileEntry[] {
  try {
    return work();
  } catch (error) {
    if (isOptional && (isMissing(error) || isDenied(error))) return [];
    throw error;
  }
}

const TOO_LARGE = 'it is too large for synchronous reads. Use await fs.promises.readFile(path)';
const ACROSS = 'what lies in the data directory is moved by code that waits, or copied';
