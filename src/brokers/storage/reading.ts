import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import type { Directory } from './directory.js';
import type { Segments } from './request.js';
import { atPath, explained, type AreaContext, openDirectory, type Location } from './walk.js';

/** Opens a file for reading. The caller closes it. */
export function openFile(context: AreaContext, segments: Segments): Promise<OpenFile> {
  return atPath(context, segments, undefined, async (location) => {
    await requireFile(context, location);
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(
      location.directory.pathOf(location.name),
      O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
    );
    try {
      const stats = await handle.stat();
      if (wasDeleted(stats)) throw context.refusals.failed(location.path, 'ENOENT');
      if (!isOwnFile(stats)) throw context.refusals.foreign(location.path);
      return { handle, bytes: stats.size };
    } catch (error) {
      await handle.close();
      throw error;
    }
  });
}

export interface OpenFile {
  readonly handle: FileHandle;
  /** The file's size when it was opened. */
  readonly bytes: number;
}

/** Inspects before an open: opening a device can have effects. */
export async function requireFile(
  { refusals }: AreaContext,
  { directory, name, path }: Location,
): Promise<Stats> {
  const stats = await directory.stat(name);
  if (stats === undefined) throw refusals.failed(path, 'ENOENT');
  if (stats.isDirectory()) throw refusals.failed(path, 'EISDIR');
  if (wasDeleted(stats)) throw refusals.failed(path, 'ENOENT');
  if (!isOwnFile(stats)) throw refusals.foreign(path);
  return stats;
}

/** Whether a file lost its name after it was opened or found: a deletion was faster. */
function wasDeleted(stats: Pick<Stats, 'nlink'>): boolean {
  return stats.nlink === 0;
}

/** A regular file without a second name. A plugin makes no other, so another process made it. */
export function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1;
}

export async function statPath(
  context: AreaContext,
  segments: Segments,
): Promise<StorageEntry | null> {
  if (segments.length === 0) {
    return { name: '', kind: 'directory', bytes: 0, modifiedMs: 0 };
  }
  try {
    return await atPath(context, segments, undefined, async ({ directory, name }) => {
      const stats = await directory.stat(name);
      return stats === undefined ? null : (entryOf(name, stats) ?? null);
    });
  } catch (error) {
    // The path does not exist, or goes through a file.
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function listPath(
  context: AreaContext,
  segments: Segments,
  recursive: boolean,
): Promise<readonly StorageEntry[]> {
  await using directory = await openDirectory(context, segments).catch((error: unknown) => {
    // A user without stored files.
    if (segments.length === 0 && isMissing(error)) return undefined;
    throw error;
  });
  if (directory === undefined) return [];
  const { maxFiles, maxDepth } = context.store.limits;
  const entries: StorageEntry[] = [];
  const walk = async (at: Directory, prefix: string, depth: number): Promise<void> => {
    for (const name of (await at.names()).toSorted()) {
      if (entries.length >= maxFiles) return;
      const stats = await at.stat(name);
      const entry = stats === undefined ? undefined : entryOf(`${prefix}${name}`, stats);
      if (entry === undefined) continue;
      entries.push(entry);
      if (!recursive || entry.kind !== 'directory' || depth >= maxDepth) continue;
      await using child = await at.child(name);
      await walk(child, `${prefix}${name}/`, depth + 1);
    }
  };
  await explained(context, segments.join('/'), () => walk(directory, '', segments.length));
  return entries;
}

/** Whether the error says that a path or its parent does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && /^(ENOENT|ENOTDIR):/.test(error.message);
}

/** An entry for the plugin: `undefined` unless it is a directory or a file of its own. */
function entryOf(name: string, stats: Stats): StorageEntry | undefined {
  if (stats.isDirectory()) {
    return { name, kind: 'directory', bytes: 0, modifiedMs: Math.floor(stats.mtimeMs) };
  }
  return isOwnFile(stats)
    ? { name, kind: 'file', bytes: stats.size, modifiedMs: Math.floor(stats.mtimeMs) }
    : undefined;
}
