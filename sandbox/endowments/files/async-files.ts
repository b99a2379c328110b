import type { StorageArea } from '../../wire/storage.js';
import type { EndowmentCapabilities } from '../endowment.js';
import type { StorageClient } from '../storage/client.js';
import { asFault, isMissing, makeFault, refuse } from './faults.js';
import { mayAskHost, type Place, type StoredPlace, writesToHost } from './mounts.js';
import type { HostFiles } from './host-files.js';
import { byName, type FileEntry, TOP } from './tree.js';

/** Asynchronous file operations. Paths are absolute and normal. */
export interface AsyncFiles {
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: Uint8Array): Promise<void>;
  append(path: string, content: Uint8Array): Promise<void>;
  stat(path: string): Promise<FileEntry>;
  list(path: string): Promise<readonly FileEntry[]>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  remove(path: string, recursive: boolean): Promise<void>;
  move(path: string, to: string): Promise<void>;
}

export interface AsyncFilesSpec {
  readonly capabilities: EndowmentCapabilities;
  readonly place: (path: string) => Place;
  readonly client: (area: StorageArea) => StorageClient;
  readonly hostFiles: HostFiles;
  /** Resolves when the host has all synchronous writes. */
  readonly settled: () => Promise<void>;
}

/** Reads search the storage first, then the files of the filesystem permission. */
export function makeAsyncFiles(spec: AsyncFilesSpec): AsyncFiles {
  const { capabilities, place, hostFiles } = spec;

  const inStorage = async <Answer>(path: string, work: StoredWork<Answer>): Promise<Answer> => {
    const { stored } = place(path);
    if (stored === undefined || !capabilities.grant.storage)
      throw refuse(capabilities, path, 'storage');
    try {
      await spec.settled();
      return await work(spec.client(stored.area), stored);
    } catch (error) {
      throw asFault(error, path);
    }
  };

  const fromHost = async <Answer>(
    path: string,
    work: (at: string) => Promise<Answer>,
  ): Promise<Answer> => {
    const where = place(path);
    const isStored = where.stored !== undefined && capabilities.grant.storage;
    if (!mayAskHost(where, capabilities.grant)) {
      if (isStored) throw makeFault('ENOENT', path);
      throw refuse(capabilities, path, where.stored?.area === 'data' ? 'storage' : 'fs');
    }
    try {
      return await work(where.hostPath);
    } catch (error) {
      throw asFault(error, path);
    }
  };

  const either = async <Answer>(
    path: string,
    fromStored: StoredWork<Answer>,
    fromLent: (path: string) => Promise<Answer>,
  ): Promise<Answer> => {
    if (place(path).stored !== undefined && capabilities.grant.storage) {
      try {
        return await inStorage(path, fromStored);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
    return fromHost(path, fromLent);
  };
  const isOnHost = (path: string): boolean => writesToHost(place(path), capabilities.grant);

  const stat = async (path: string): Promise<FileEntry> =>
    place(path).isAbove
      ? TOP
      : either(
          path,
          async (client, stored) =>
            demand(stored.isTop ? TOP : await client.stat(stored.path), path),
          async (at) => demand(await hostFiles.stat(at), path),
        );
  const isThere = (path: string): Promise<boolean> =>
    stat(path).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw error;
      },
    );

  const files: AsyncFiles = {
    read: (path) => either(path, (client, stored) => client.read(stored.path), hostFiles.read),
    stat,
    list: async (path) => {
      const { stored } = place(path);
      const lists = [
        fromHost(path, hostFiles.list),
        ...(stored !== undefined && capabilities.grant.storage
          ? [
              inStorage(path, (client) =>
                stored.isTop ? listTop(client, stored) : client.list(stored.path),
              ),
            ]
          : []),
      ];
      const found = await Promise.allSettled(lists);
      const entries = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      if (entries.length > 0) return byName(entries.flat());
      const failed = found.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      // The storage decides what a missing directory is.
      throw asFault(failed.at(-1), path);
    },
    write: (path, content) =>
      isOnHost(path)
        ? fromHost(path, (at) => ignore(hostFiles.change({ op: 'write', path: at }, content)))
        : inStorage(path, (client, stored) => client.write(stored.path, content)),
    append: (path, content) =>
      isOnHost(path)
        ? fromHost(path, (at) => ignore(hostFiles.change({ op: 'append', path: at }, content)))
        : inStorage(path, (client, stored) => client.append(stored.path, content)),
    mkdir: async (path, recursive) => {
      if (!recursive && (await isThere(path))) throw makeFault('EEXIST', path);
      if (isOnHost(path)) {
        if (!(await isThere(path))) {
          await fromHost(path, (at) => hostFiles.change({ op: 'mkdir', path: at }));
        }
        return;
      }
      await inStorage(path, (client, stored) => client.mkdir(stored.path));
    },
    remove: async (path, recursive) => {
      const done = isOnHost(path)
        ? await fromHost(path, (at) => hostFiles.change({ op: 'delete', path: at, recursive }))
        : await inStorage(path, (client, stored) => client.delete(stored.path, recursive));
      if (!done) throw makeFault('ENOENT', path);
    },
    move: async (path, to) => {
      if (isOnHost(path) && isOnHost(to)) {
        const there = place(to).hostPath;
        await fromHost(path, (at) => hostFiles.change({ op: 'move', path: at, to: there }));
        return;
      }
      const from = place(path).stored;
      const target = place(to).stored;
      if (from !== undefined && from.area === target?.area && !isOnHost(path) && !isOnHost(to)) {
        await inStorage(path, (client, stored) => client.move(stored.path, target.path));
        return;
      }
      // Between areas and mounts only files can move.
      const content = await files.read(path);
      await files.write(to, content);
      await files.remove(path, false);
    },
  };
  return files;
}

async function ignore(work: Promise<unknown>): Promise<void> {
  await work;
}

type StoredWork<Answer> = (client: StorageClient, stored: StoredPlace) => Promise<Answer>;

async function listTop(
  client: StorageClient,
  { path }: StoredPlace,
): Promise<readonly FileEntry[]> {
  try {
    return await client.list(path);
  } catch (error) {
    if (isMissing(asFault(error, path))) return [];
    throw error;
  }
}

function demand(entry: FileEntry | undefined, path: string): FileEntry {
  if (entry === undefined) throw makeFault('ENOENT', path);
  return entry;
}
