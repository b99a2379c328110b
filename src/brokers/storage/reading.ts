import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import type { Directory } from './directory.js';
import type { Segments } from './path.js';
import { atSpot, explained, type Ground, openDirectory, type Spot } from './walk.js';

/** Opens a file for reading. The caller closes it. */
export function openFile(ground: Ground, segments: Segments): Promise<OpenFile> {
  return atSpot(ground, segments, undefined, async (spot) => {
    await demandFile(ground, spot);
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(spot.directory.at(spot.name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!isOwnFile(stats)) throw ground.refusals.foreign(spot.path);
      return { handle, bytes: stats.size };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

export interface OpenFile {
  readonly handle: FileHandle;
  /** Its size when it was opened. */
  readonly bytes: number;
}

/** Looks before anything is opened: opening a device can do things. */
export async function demandFile(
  { refusals }: Ground,
  { directory, name, path }: Spot,
): Promise<Stats> {
  const stats = await directory.look(name);
  if (stats === undefined) throw refusals.failed(path, 'ENOENT');
  if (stats.isDirectory()) throw refusals.failed(path, 'EISDIR');
  if (!isOwnFile(stats)) throw refusals.foreign(path);
  return stats;
}

/** A regular file with no second name: a plugin makes no others, so somebody else put it there. */
export function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1;
}

export async function statPath(ground: Ground, segments: Segments): Promise<StorageEntry | null> {
  if (segments.length === 0) {
    return { name: '', kind: 'directory', bytes: 0, modifiedMs: 0 };
  }
  try {
    return await atSpot(ground, segments, undefined, async ({ directory, name }) => {
      const stats = await directory.look(name);
      return stats === undefined ? null : (entryOf(name, stats) ?? null);
    });
  } catch (error) {
    // A way that does not exist, or goes through a file: nothing is there.
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function listPath(
  ground: Ground,
  segments: Segments,
  recursive: boolean,
): Promise<readonly StorageEntry[]> {
  await using directory = await openDirectory(ground, segments).catch((error: unknown) => {
    // A user who has kept nothing yet.
    if (segments.length === 0 && isMissing(error)) return undefined;
    throw error;
  });
  if (directory === undefined) return [];
  const { maxFiles, maxDepth } = ground.store.limits;
  const entries: StorageEntry[] = [];
  const walk = async (at: Directory, prefix: string, depth: number): Promise<void> => {
    for (const name of (await at.names()).toSorted()) {
      if (entries.length >= maxFiles) return;
      const stats = await at.look(name);
      const entry = stats === undefined ? undefined : entryOf(`${prefix}${name}`, stats);
      if (entry === undefined) continue;
      entries.push(entry);
      if (!recursive || entry.kind !== 'directory' || depth >= maxDepth) continue;
      await using child = await at.child(name);
      await walk(child, `${prefix}${name}/`, depth + 1);
    }
  };
  await explained(ground, segments.join('/'), () => walk(directory, '', segments.length));
  return entries;
}

/** Whether it says that nothing is there, nor on the way to it. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /^(ENOENT|ENOTDIR):/.test(error.message);
}

/** What a plugin sees of an entry: nothing, where it is neither a file of its own nor a directory. */
function entryOf(name: string, stats: Stats): StorageEntry | undefined {
  if (stats.isDirectory()) {
    return { name, kind: 'directory', bytes: 0, modifiedMs: Math.floor(stats.mtimeMs) };
  }
  return isOwnFile(stats)
    ? { name, kind: 'file', bytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs) }
    : undefined;
}
