import type { StorageArea } from '../../../sandbox/wire/storage.js';
import { isBulkheadError, systemCode } from '../../errors.js';
import { type Directory, charge, type Usage } from './directory.js';
import type { Segments } from './request.js';
import type { Errno, Refusals } from './refusals.js';
import type { Store } from './store.js';

/** The store and area of one operation, and its refusals. */
export interface AreaContext {
  readonly store: Store;
  readonly refusals: Refusals;
  readonly area: StorageArea;
  readonly user: string;
}

/** A name in a directory that is open until the work is done. */
export interface Location {
  readonly directory: Directory;
  readonly name: string;
  /** The path that the plugin wrote, for messages. */
  readonly path: string;
}

/**
 * Runs `work` at a path. With `usage`, missing parent directories are created and counted. Without
 * it, they must exist.
 */
export async function atPath<Result>(
  context: AreaContext,
  segments: Segments,
  usage: Usage | undefined,
  work: (location: Location) => Promise<Result>,
): Promise<Result> {
  const path = segments.join('/');
  const name = segments.at(-1);
  if (name === undefined) throw context.refusals.failed(path, 'EISDIR');
  return explained(context, path, async () => {
    await using directory = await open(context, segments.slice(0, -1), usage);
    return await work({ directory, name, path });
  });
}

/** Opens the directory at a path. */
export async function openDirectory(context: AreaContext, segments: Segments): Promise<Directory> {
  return explained(context, segments.join('/'), () => open(context, segments, undefined));
}

async function open(
  { store, refusals, area, user }: AreaContext,
  segments: Segments,
  usage: Usage | undefined,
): Promise<Directory> {
  let at = await store.area(area, user, usage);
  for (const name of segments) {
    await using parent = at;
    if (usage !== undefined && (await parent.stat(name)) === undefined) {
      charge(usage, { bytes: 0, files: 1 }, store.limits, refusals);
      await parent.mkdir(name);
    }
    at = await parent.child(name);
  }
  return at;
}

/** Runs work on the disk. Converts system errors to refusals. */
export async function explained<Result>(
  { refusals }: AreaContext,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isBulkheadError(error)) throw error;
    const errno = systemCode(error);
    if (errno === 'ELOOP') throw refusals.foreign(path);
    throw refusals.failed(path, errno !== undefined && isErrno(errno) ? errno : 'EIO', error);
  }
}

function isErrno(errno: string): errno is Errno {
  return ['ENOENT', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EINVAL'].includes(errno);
}
