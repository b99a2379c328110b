import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeDirectoriesSync } from '../../make-directories.js';
import { copyStore } from '../../brokers/storage/copy-store.js';
import { makeStores, type Stores } from '../../brokers/storage/store.js';
import type { StorageLimits } from '../../brokers/limits.js';

/** A directory for the files of one run. */
export interface Scratch {
  /** Makes a directory in it, and gives its path. */
  subdirectory(name: string): string;
  remove(): void;
}

/** Copies of processes that were killed are removed after this time. */
const OLD_MS = 60 * 60 * 1_000;

/** A directory for the copies of one run, in `.dry-runs` of the storage directory. */
export function openScratch(storageDirectory: string): Scratch {
  const parent = resolve(storageDirectory, '.dry-runs');
  makeDirectoriesSync(parent, 0o700);
  removeOld(parent);
  return scratchIn(mkdtempSync(join(parent, 'run-')));
}

/** A directory for what a plugin stores while it is reviewed. It is not in the storage, which need not be there. */
export function openReviewScratch(): Scratch {
  return scratchIn(mkdtempSync(join(tmpdir(), 'bulkhead-review-')));
}

function scratchIn(directory: string): Scratch {
  return {
    subdirectory: (name) => {
      const path = join(directory, name);
      mkdirSync(path, { mode: 0o700 });
      return path;
    },
    remove: () =>
      rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 }),
  };
}

export interface ScratchSpec {
  /** An empty directory for the copy. */
  readonly directory: string;
  readonly storageDirectory: string;
  readonly stores: Stores;
  readonly limits: StorageLimits;
  readonly plugin: string;
  readonly tenant: string | undefined;
}

/** Copies the storage of one plugin, for one run. */
export async function openScratchStores(spec: ScratchSpec): Promise<Stores> {
  const { directory, storageDirectory, stores, limits, plugin, tenant } = spec;
  await copyStore(stores(plugin, tenant), storageDirectory, directory, plugin, tenant);
  return makeStores(directory, limits);
}

function removeOld(parent: string): void {
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    try {
      if (Date.now() - statSync(path).mtimeMs > OLD_MS) rmSync(path, { recursive: true });
    } catch {
      // Another process removes it.
    }
  }
}
