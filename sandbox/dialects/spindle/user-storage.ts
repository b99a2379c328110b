import type { StorageClient } from '../../endowments/storage/client.js';
import type { DialectWorld } from '../dialect.js';
import type { Mutations } from './mutations.js';
import type { Scope } from './scope.js';
import { makeFiles } from './storage.js';

/** `spindle.userStorage`: the same for each user apart (Spindle storage, Per-user). */
export function makeUserStorage(world: DialectWorld, mutations: Mutations, scope: Scope): object {
  const areas = new Map<string, StorageClient>();
  const areaOf = (userId: unknown): StorageClient => {
    const user = scope.userOf(userId);
    const area = areas.get(user) ?? world.storage({ area: 'user', user });
    // One client for each user that comes up; who has more of them than this gets new ones.
    if (areas.size < MAX_USERS) areas.set(user, area);
    return area;
  };
  return makeFiles('spindle.userStorage', world, mutations, (args, place) => areaOf(args[place]));
}

const MAX_USERS = 1_000;
