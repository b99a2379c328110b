import { lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StorageArea } from '../../../sandbox/wire/storage.js';
import { Directory } from './directory.js';
import type { StorageLimits } from './limits.js';
import { directoryNameOf } from './names.js';
import { makeRefusals, type Refusals } from './refusals.js';
import { measure, spend, type Usage } from './usage.js';

/**
 * What the host keeps for one plugin, whichever of its guests asks. There is one store for a plugin
 * in an engine, so that its guests together have one quota, and change it one after the other.
 *
 * ```
 *   <storage directory>/<plugin>/data/…           what the plugin sees as its directory
 *                               /work/…           what it writes elsewhere
 *                               /users/<user>/…   one such for each of its users
 *                               /enclave/<key>
 *                               /tmp/             what is being written
 * ```
 */
export interface Store {
  readonly limits: StorageLimits;
  /**
   * The top of an area. That of a user who has none is made, and counted, where `usage` is given;
   * else it rejects with the system's ENOENT.
   */
  area(area: StorageArea, user: string, usage?: Usage): Promise<Directory>;
  /** Where drafts lie until they are whole. */
  drafts(): Promise<Directory>;
  /** What it holds now. Read from disk when it is first asked for. */
  usage(): Promise<Usage>;
  /** How many changes there have been, of all of the plugin's guests. */
  generation: number;
  /** Runs one change after the other. */
  inTurn<Result>(change: (usage: Usage) => Promise<Result>): Promise<Result>;
}

/** The stores of one engine, by plugin id. */
export type Stores = (plugin: string) => Store;

export function makeStores(directory: string, limits: StorageLimits): Stores {
  const stores = new Map<string, Store>();
  return (plugin) => {
    const store =
      stores.get(plugin) ??
      makeStore(directory, directoryNameOf(plugin), limits, makeRefusals(plugin, limits));
    stores.set(plugin, store);
    return store;
  };
}

/** Removes all that is kept for a plugin there. Resolves with whether there was anything. */
export async function removeStore(root: string, plugin: string): Promise<boolean> {
  const place = join(root, directoryNameOf(plugin));
  const found = await lstat(place).catch(() => undefined);
  // A link in its place is taken away; what it leads to is nobody's storage.
  await rm(place, { recursive: true, force: true });
  return found !== undefined;
}

function makeStore(root: string, name: string, limits: StorageLimits, refusals: Refusals): Store {
  let usage: Promise<Usage> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const home = async (): Promise<Directory> => {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await using directory = await Directory.open(root);
    await directory.make(name);
    return await directory.child(name);
  };
  const part = async (which: (typeof PARTS)[number] | 'tmp'): Promise<Directory> => {
    await using directory = await home();
    await directory.make(which);
    return await directory.child(which);
  };
  const count = async (): Promise<Usage> => {
    // Drafts of a process that ended before they were whole.
    await rm(join(root, name, 'tmp'), { recursive: true, force: true });
    const total = { bytes: 0, files: 0 };
    for (const which of PARTS) {
      await using directory = await part(which);
      // Twice what a plugin can have made: no more is looked at, whoever put it there.
      const most = { files: 2 * limits.maxFiles, depth: 2 * limits.maxDepth };
      const { bytes, files } = await measure(directory, most);
      total.bytes += bytes;
      total.files += files;
    }
    return total;
  };
  const read = (): Promise<Usage> => {
    usage ??= count().catch((error: unknown) => {
      usage = undefined;
      throw error;
    });
    return usage;
  };

  return {
    limits,
    generation: 0,
    area: async (area, user, spent) => {
      if (area !== 'user') return part(area);
      const own = directoryNameOf(user);
      await using users = await part('users');
      if (spent !== undefined && (await users.look(own)) === undefined) {
        spend(spent, { bytes: 0, files: 1 }, limits, refusals);
        await users.make(own);
      }
      return await users.child(own);
    },
    drafts: () => part('tmp'),
    usage: read,
    inTurn: (change) => {
      const turn = last.then(async () => change(await read()));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

const PARTS = ['data', 'work', 'users', 'enclave'] as const;
