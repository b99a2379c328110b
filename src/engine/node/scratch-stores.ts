import { mkdtempSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyStore } from '../../brokers/storage/copy-store.js';
import { makeStores, type Stores } from '../../brokers/storage/store.js';
import type { StorageLimits } from '../../brokers/limits.js';

/** A copy of the storage of one plugin, for one run. */
export interface ScratchStores {
  readonly stores: Stores;
  /** Removes the copy. */
  remove(): void;
}

export interface ScratchSpec {
  readonly storageDirectory: string;
  readonly stores: Stores;
  readonly limits: StorageLimits;
  readonly plugin: string;
  readonly tenant: string | undefined;
}

/** Copies of processes that were killed are removed after this time. */
const OLD_MS = 60 * 60 * 1_000;

/** Copies the storage of a plugin into `.dry-runs` of the storage directory. */
export async function openScratchStores(spec: ScratchSpec): Promise<ScratchStores> {
  const { storageDirectory, stores, limits, plugin, tenant } = spec;
  const parent = join(storageDirectory, '.dry-runs');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  removeOld(parent);
  const directory = mkdtempSync(join(parent, 'run-'));
  const remove = (): void =>
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  try {
    await copyStore(stores(plugin, tenant), storageDirectory, directory, plugin, tenant);
  } catch (error) {
    remove();
    throw error;
  }
  return { stores: makeStores(directory, limits), remove };
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
