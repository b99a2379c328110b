import { type StorageArea, storageDirectoryOf } from '../../wire/storage.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { makeStorageClient, type StorageClient } from '../storage/client.js';
import { makeAsyncFiles, type AsyncFiles } from './async-files.js';
import { makeHostFiles, makeHostFilesNow } from './host-files.js';
import { makeMounts } from './mounts.js';
import { type Change, makeSyncFiles, type SyncFiles } from './sync-files.js';
import { makeTree, type Tree } from './tree.js';

/** One plugin's files, for the modules that replace those of Node and Bun. */
export interface Files {
  /** The part that these modules receive. */
  readonly face: FilesFace;
  /** Copies the files that synchronous code may read, or their changes since. Never rejects. */
  refresh(): Promise<void>;
  /**
   * Resolves when the host has all synchronous writes. Rejects once, with the first error of the
   * host.
   */
  settle(): Promise<void>;
}

export interface FilesFace {
  /** The plugin's data directory, as its code sees it. */
  readonly storageDirectory: string;
  readonly later: AsyncFiles;
  readonly now: SyncFiles;
}

/** The module that provides a bundle's files. */
export const FILES_MODULE = 'bulkhead:files';

/** The marker in every bundle whose code can use files synchronously. */
export const FILES_AT_ONCE = 'bulkhead:files-at-once';

const AREAS = ['data', 'work'] as const;

/** @param copies whether the code can use files synchronously. Otherwise nothing is copied. */
export function makeFiles(capabilities: EndowmentCapabilities, copies: boolean): Files {
  const place = makeMounts(capabilities.plugin.id, () => capabilities.grant.fs ?? []);
  const hostFiles = makeHostFiles(capabilities);
  const trees = new Map<StorageArea, Tree>();
  let generation: number | undefined;
  let failure: { readonly error: unknown } | undefined;
  let copyFailed: unknown;
  let refreshing: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  const clients = new Map<StorageArea, StorageClient>();
  const client = (area: StorageArea): StorageClient => {
    const made =
      clients.get(area) ??
      makeStorageClient(capabilities, { area }, (next) => {
        // Another guest's change came between, so the copy is incomplete.
        generation = generation !== undefined && next === generation + 1 ? next : undefined;
      });
    clients.set(area, made);
    return made;
  };

  const hand = async (change: Change): Promise<void> => {
    const { stored } = change;
    const files = client(stored.area);
    switch (change.op) {
      case 'write':
        return files.write(stored.path, change.content);
      case 'append':
        return files.append(stored.path, change.content);
      case 'mkdir':
        return files.mkdir(stored.path);
      case 'delete':
        return void (await files.delete(stored.path, change.recursive));
      case 'move':
        return files.move(stored.path, change.to.path);
    }
  };
  const later = (change: Change): void => {
    last = last
      .then(() => hand(change))
      .catch((error: unknown) => {
        failure ??= { error };
        // The copy differs from the host's files.
        generation = undefined;
      });
  };
  const settled = async (): Promise<void> => {
    for (let seen; seen !== last;) {
      seen = last;
      await seen;
    }
  };

  const copyStorage = async (): Promise<void> => {
    await settled();
    let next = generation;
    for (const area of AREAS) {
      const copy = await client(area).copy(generation);
      if (copy === undefined) return;
      const tree = trees.get(area) ?? makeTree();
      tree.fill(copy.entries);
      trees.set(area, tree);
      next = copy.generation;
    }
    generation = next;
  };

  const copyAll = async (): Promise<void> => {
    try {
      if (capabilities.grant.storage) await copyStorage();
    } catch (error) {
      copyFailed = error;
    }
  };

  const tree = (which: StorageArea): Tree => {
    const found = trees.get(which);
    if (found !== undefined) return found;
    throw copyFailed instanceof Error ? copyFailed : new Error('No files have been copied yet');
  };

  return {
    face: {
      storageDirectory: storageDirectoryOf(capabilities.plugin.id),
      later: makeAsyncFiles({ capabilities, place, client, hostFiles, settled }),
      now: makeSyncFiles({
        capabilities,
        place,
        tree,
        hostFiles: makeHostFilesNow(capabilities),
        later,
      }),
    },
    refresh: () => {
      if (!copies) return Promise.resolve();
      refreshing ??= copyAll().finally(() => {
        refreshing = undefined;
      });
      return refreshing;
    },
    settle: async () => {
      await settled();
      const failed = failure;
      failure = undefined;
      if (failed !== undefined) throw failed.error;
    },
  };
}
