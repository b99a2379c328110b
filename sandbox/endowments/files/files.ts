import { type StorageArea, storageDirectoryOf } from '../../wire/storage.js';
import type { EndowmentPowers } from '../endowment.js';
import { makeStorageClient, type StorageClient } from '../storage/client.js';
import { makeLaterFiles, type LaterFiles } from './later-files.js';
import { makeLentFiles } from './lent-files.js';
import { copyLent } from './lent-copy.js';
import { makeMounts } from './mounts.js';
import { type Change, makeNowFiles, type NowFiles } from './now-files.js';
import { makeTree, type Tree } from './tree.js';

/** One plugin's files, behind the modules of Node and Bun that its code uses them by. */
export interface Files {
  /** What those modules get hold of. */
  readonly face: FilesFace;
  /** Copies what code may read without waiting, or what has changed of it since. Never rejects. */
  refresh(): Promise<void>;
  /**
   * Resolves when everything that was written without waiting is with the host; rejects with the
   * first of it that the host refused, once.
   */
  settle(): Promise<void>;
}

export interface FilesFace {
  /** The plugin's directory for its data, as its code knows it. */
  readonly storageDirectory: string;
  readonly later: LaterFiles;
  readonly now: NowFiles;
}

/** The module by which a bundle is given its files. */
export const FILES_MODULE = 'bulkhead:files';

/** The words in every bundle whose code has use for files without waiting. */
export const FILES_AT_ONCE = 'bulkhead:files-at-once';

const AREAS = ['data', 'work'] as const;

/**
 * @param copies whether its code has use for files without waiting: only then is anything copied
 */
export function makeFiles(powers: EndowmentPowers, copies: boolean): Files {
  const place = makeMounts(powers.plugin.id);
  const lent = makeLentFiles(powers);
  const trees = new Map<StorageArea | 'lent', Tree>();
  let generation: number | undefined;
  let failure: { readonly error: unknown } | undefined;
  let copyFailed: unknown;
  let refreshing: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  const clients = new Map<StorageArea, StorageClient>();
  const client = (area: StorageArea): StorageClient => {
    const made =
      clients.get(area) ??
      makeStorageClient(powers, { area }, (next) => {
        // Another guest's change came between: what was copied is no longer all of it.
        generation = generation !== undefined && next === generation + 1 ? next : undefined;
      });
    clients.set(area, made);
    return made;
  };

  const hand = async (change: Change): Promise<void> => {
    const { kept } = change;
    const files = client(kept.area);
    switch (change.op) {
      case 'write':
        return files.write(kept.path, change.content);
      case 'append':
        return files.append(kept.path, change.content);
      case 'mkdir':
        return files.mkdir(kept.path);
      case 'delete':
        return void (await files.delete(kept.path, change.recursive));
      case 'move':
        return files.move(kept.path, change.to.path);
    }
  };
  const later = (change: Change): void => {
    last = last
      .then(() => hand(change))
      .catch((error: unknown) => {
        failure ??= { error };
        // What is here is not what the host has.
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
      if (powers.grant.storage) await copyStorage();
      if (powers.grant.filesystem && !trees.has('lent')) {
        const copy = makeTree();
        copy.fill(await copyLent(lent));
        trees.set('lent', copy);
      }
    } catch (error) {
      copyFailed = error;
    }
  };

  const tree = (which: StorageArea | 'lent'): Tree => {
    const found = trees.get(which);
    if (found !== undefined) return found;
    throw copyFailed instanceof Error ? copyFailed : new Error('No files have been copied yet');
  };

  return {
    face: {
      storageDirectory: storageDirectoryOf(powers.plugin.id),
      later: makeLaterFiles({ powers, place, client, lent, settled }),
      now: makeNowFiles({ powers, place, tree, later }),
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
