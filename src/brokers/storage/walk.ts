import type { StorageArea } from '../../../sandbox/wire/storage.js';
import { isBulkheadError } from '../../errors.js';
import { type Directory, errnoOf } from './directory.js';
import type { Segments } from './path.js';
import type { Errno, Refusals } from './refusals.js';
import type { Store } from './store.js';
import { spend, type Usage } from './usage.js';

/** One operation's view of a store: which area it is in, and how what fails there is told. */
export interface Ground {
  readonly store: Store;
  readonly refusals: Refusals;
  readonly area: StorageArea;
  readonly user: string;
}

/** A name in a directory that is held open until the work is done. */
export interface Spot {
  readonly directory: Directory;
  readonly name: string;
  /** As the plugin wrote it, for words. */
  readonly path: string;
}

/**
 * Goes to where a path ends and works there. With `usage`, directories that are missing on the way
 * are made, and counted; without, the way has to exist.
 */
export async function atSpot<Result>(
  ground: Ground,
  segments: Segments,
  usage: Usage | undefined,
  work: (spot: Spot) => Promise<Result>,
): Promise<Result> {
  const path = segments.join('/');
  const name = segments.at(-1);
  if (name === undefined) throw ground.refusals.failed(path, 'EISDIR');
  return explained(ground, path, async () => {
    await using directory = await open(ground, segments.slice(0, -1), usage);
    return await work({ directory, name, path });
  });
}

/** The directory at a path, held open. */
export async function openDirectory(ground: Ground, segments: Segments): Promise<Directory> {
  return explained(ground, segments.join('/'), () => open(ground, segments, undefined));
}

async function open(
  { store, refusals, area, user }: Ground,
  segments: Segments,
  usage: Usage | undefined,
): Promise<Directory> {
  let at = await store.area(area, user, usage);
  for (const name of segments) {
    await using parent = at;
    if (usage !== undefined && (await parent.look(name)) === undefined) {
      spend(usage, { bytes: 0, files: 1 }, store.limits, refusals);
      await parent.make(name);
    }
    at = await parent.child(name);
  }
  return at;
}

/** Runs work on the disk; what the system says is told in our words. */
export async function explained<Result>(
  { refusals }: Ground,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isBulkheadError(error)) throw error;
    const errno = errnoOf(error);
    if (errno === 'ELOOP') throw refusals.foreign(path);
    throw refusals.failed(path, errno !== undefined && isTold(errno) ? errno : 'EIO', error);
  }
}

function isTold(errno: string): errno is Errno {
  return ['ENOENT', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EINVAL'].includes(errno);
}
