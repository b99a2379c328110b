import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { makeDirectories } from '../../make-directories.js';
import type { StorageArea } from '../../../sandbox/wire/storage.js';
import { Directory, measure, charge, type Usage } from './directory.js';
import type { StorageLimits } from '../limits.js';
import {
  forgetSharedUsage,
  lockStore,
  readSharedUsage,
  type SharedUsage,
  writeSharedUsage,
} from './shared-usage.js';
import { makeRefusals, type Refusals } from './refusals.js';
import type { Turns } from './turns.js';

/**
 * The storage of one plugin. An engine has one store for each plugin, so that the plugin's guests
 * share one quota, and change it one after the other. Engines that use the same directory share the
 * quota too, by a mutex and a count on the disk.
 *
 * ```
 *   <storage directory>/<plugin>/data/…           what the plugin sees as its directory
 *                               /work/…           what it writes elsewhere
 *                               /users/<user>/…   one for each user
 *                               /enclave/<key>
 *                               /tmp/             drafts
 *                               /commits/         changes of databases that are under way
 *                               /usage.json       the count of all engines
 *                               /mutex            while one of them changes it
 *                               /tenants/<tenant>/…   the same for one tenant, under `isolation`
 * ```
 */
export interface Store {
  readonly limits: StorageLimits;
  /**
   * Opens the top of an area. With `usage`, a missing directory of a user is made and counted; without,
   * it rejects with ENOENT.
   */
  area(area: StorageArea, user: string, usage?: Usage): Promise<Directory>;
  /** The directory of drafts: files that are not complete yet. */
  drafts(): Promise<Directory>;
  /** The directory of commits that are under way. */
  commits(): Promise<Directory>;
  readonly commitsPath: string;
  /** The writers of databases, by area and path. */
  readonly turns: Turns;
  /** Grows with each change by a guest of the plugin, also of another engine. */
  generation: number;
  /** Runs one change at a time, of all engines. */
  exclusively<Result>(change: (usage: Usage) => Promise<Result>): Promise<Result>;
  /** The same for work that changes nothing. */
  reading<Result>(work: (usage: Usage) => Promise<Result>): Promise<Result>;
}

/**
 * The stores of one engine, by plugin id. With a tenant: the store of that tenant alone, which has a
 * quota of its own.
 */
export type Stores = (plugin: string, tenant?: string) => Store;

/** Tenants' stores that an engine remembers. A forgotten one is counted again at its next use. */
const MAX_TENANT_STORES = 1_000;

export function makeStores(directory: string, limits: StorageLimits): Stores {
  const stores = new Map<string, Store>();
  const tenants = new LRUCache<string, Store>({ max: MAX_TENANT_STORES });
  return (plugin, tenant) => {
    if (tenant !== undefined) {
      const key = JSON.stringify([plugin, tenant]);
      const root = join(directory, directoryNameOf(plugin), 'tenants');
      const own =
        tenants.get(key) ??
        makeStore(root, directoryNameOf(tenant), limits, makeRefusals(plugin, limits));
      tenants.set(key, own);
      return own;
    }
    const store =
      stores.get(plugin) ??
      makeStore(directory, directoryNameOf(plugin), limits, makeRefusals(plugin, limits));
    stores.set(plugin, store);
    return store;
  };
}

/** Removes the storage of a plugin. Resolves with whether it existed. */
export async function removeStore(root: string, plugin: string): Promise<boolean> {
  const place = join(root, directoryNameOf(plugin));
  const found = await lstat(place).catch(() => undefined);
  // A link in its place is removed. Its target stays.
  await rm(place, { recursive: true, force: true });
  return found !== undefined;
}

function makeStore(root: string, name: string, limits: StorageLimits, refusals: Refusals): Store {
  const place = join(root, name);
  /** The count after the last operation of this engine; `undefined` before the first one. */
  let known: SharedUsage | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const home = async (): Promise<Directory> => {
    await makeDirectories(root, 0o700);
    await using directory = await Directory.open(root);
    await directory.mkdir(name);
    return await directory.child(name);
  };
  const part = async (which: (typeof PARTS)[number] | 'tmp' | 'commits'): Promise<Directory> => {
    await using directory = await home();
    await directory.mkdir(which);
    return await directory.child(which);
  };
  const count = async (): Promise<Usage> => {
    // Drafts of a process that ended before they were complete: a live one has the mutex.
    await rm(join(place, 'tmp'), { recursive: true, force: true });
    const total = { bytes: 0, files: 0 };
    for (const which of PARTS) {
      await using directory = await part(which);
      // Twice what a plugin can make: another process may have added files.
      const most = { files: 2 * limits.maxFiles, depth: 2 * limits.maxDepth };
      const { bytes, files } = await measure(directory, most);
      total.bytes += bytes;
      total.files += files;
    }
    return total;
  };
  /** The current count. Each engine counts once: the operator may have changed files. */
  const current = async (): Promise<SharedUsage> => {
    const shared = readSharedUsage(place);
    // guard: storage-quota-of-all-engines
    if (known !== undefined && shared?.stamp === known.stamp) return known;
    // Another engine changed it, so no copy that a guest has is current.
    if (known !== undefined) store.generation += 1;
    if (known !== undefined && shared !== undefined) return shared;
    return { usage: await count(), stamp: newStamp() };
  };
  const locked = <Result>(
    changes: boolean,
    work: (usage: Usage) => Promise<Result>,
  ): Promise<Result> => {
    const turn = last.then(async () => {
      await (await home())[Symbol.asyncDispose]();
      // guard: storage-change-excludes-other-engines
      const mutex = await lockStore(place);
      try {
        const now = await current();
        if (!changes) {
          writeSharedUsage(place, now);
          known = now;
          return await work({ ...now.usage });
        }
        const usage = { ...now.usage };
        forgetSharedUsage(place);
        try {
          return await work(usage);
        } finally {
          known = { usage, stamp: newStamp() };
          writeSharedUsage(place, known);
        }
      } finally {
        mutex.release();
      }
    });
    last = turn.catch(() => {});
    return turn;
  };

  const store: Store = {
    limits,
    generation: 0,
    area: async (area, user, spent) => {
      if (area !== 'user') return part(area);
      const own = directoryNameOf(user);
      await using users = await part('users');
      if (spent !== undefined && (await users.stat(own)) === undefined) {
        // guard: storage-user-directory-counted
        charge(spent, { bytes: 0, files: 1 }, limits, refusals);
        await users.mkdir(own);
      }
      return await users.child(own);
    },
    drafts: () => part('tmp'),
    commits: () => part('commits'),
    commitsPath: join(place, 'commits'),
    turns: new Map(),
    exclusively: (change) => locked(true, change),
    reading: (work) => locked(false, work),
  };
  return store;
}

function newStamp(): string {
  return randomBytes(8).toString('hex');
}

const PARTS = ['data', 'work', 'users', 'enclave'] as const;

/**
 * The directory name of a plugin or a user. Two texts never share a name, also on a disk that ignores
 * case. A name is never a path, never hidden, and never longer than disks accept.
 */
export function directoryNameOf(text: string): string {
  const escaped = [...Buffer.from(text)]
    .map((byte) => (PLAIN.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
    .join('');
  const name = escaped.startsWith('.') ? `%2e${escaped.slice(1)}` : escaped;
  if (name !== '' && name.length <= MAX_NAME && !LONE.test(text)) return name;
  // An escaped name has no "~", so that no id equals the digest of another id.
  const digest = createHash('sha256').update(text, 'utf16le').digest('hex');
  return `${name.slice(0, 64)}~${digest}`;
}

const MAX_NAME = 120;
const PLAIN = /[a-z0-9._-]/;
/** Half a character: two such texts would become equal. */
const LONE = /\p{Surrogate}/u;

function hex(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`;
}
