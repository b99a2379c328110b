import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import { isBulkheadError } from '../../errors.js';
import { type CheckedPath, contain, type Root } from './contain.js';
import type { FilesystemLimits } from './limits.js';
import { openChecked } from './open.js';
import type { Refusals } from './refusals.js';

export interface LookSpec extends LookGround {
  readonly asked: string;
  readonly isList: boolean;
}

export interface LookGround {
  readonly directory: string;
  readonly roots: readonly Root[];
  readonly refusals: Refusals;
  readonly limits: FilesystemLimits;
}

/**
 * What is at a path, or lies in it, as far as that is granted: files and directories, nothing else.
 * A path is checked as for reading, and what was opened is held against the check again.
 */
export async function lookAt(
  spec: LookSpec,
): Promise<StorageEntry | readonly StorageEntry[] | null> {
  const { asked, isList, directory, roots, refusals, limits } = spec;
  try {
    const checked = await contain(asked, directory, roots, refusals);
    const isDirectory = (await lstat(checked.real)).isDirectory();
    if (isDirectory)
      return await lookInto(checked, refusals, isList ? limits.maxEntries : undefined);
    if (isList) throw refusals.failed(asked, 'it is no directory');
    const { handle } = await openChecked(checked, refusals);
    try {
      return entryOf(basename(asked), await handle.stat()) ?? null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isList && isMissing(error)) return null;
    throw error;
  }
}

/** What is granted by name in the plugin's own directory, as far as it is there. */
export async function lookAtRoots(
  granted: readonly string[],
  ground: LookGround,
): Promise<readonly StorageEntry[]> {
  const own = granted.filter((prefix) => !prefix.startsWith('/'));
  const found = await Promise.all(
    own.map(async (asked) => {
      const entry = await lookAt({ ...ground, asked, isList: false }).catch(() => null);
      return entry === null || !('name' in entry) ? [] : [{ ...entry, name: asked }];
    }),
  );
  return found.flat();
}

/** The directory itself, or, where `maxEntries` is given, what lies in it. */
async function lookInto(
  path: CheckedPath,
  refusals: Refusals,
  maxEntries: number | undefined,
): Promise<StorageEntry | readonly StorageEntry[]> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path.real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const place = await placeOf(handle, path);
    if (!path.admits(place.real))
      throw refusals.leadsOut(path.asked, `what was opened is ${place.real}`);
    if (maxEntries === undefined) {
      return { name: basename(path.asked), kind: 'directory', ...timeOf(await handle.stat()) };
    }
    const entries: StorageEntry[] = [];
    for (const name of (await readdir(place.at)).toSorted()) {
      if (entries.length >= maxEntries) break;
      const stats = await lstat(`${place.at}/${name}`).catch(() => undefined);
      const entry = stats === undefined ? undefined : entryOf(name, stats);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  } finally {
    await handle.close();
  }
}

/** Where the open directory lies, and the path by which its names are reached while it is open. */
async function placeOf(
  handle: FileHandle,
  path: CheckedPath,
): Promise<{ readonly real: string; readonly at: string }> {
  const held = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(held).catch(() => undefined);
  // Without /proc (macOS) the path itself is what there is.
  return real === undefined ? { real: path.real, at: path.real } : { real, at: held };
}

function entryOf(name: string, stats: Stats): StorageEntry | undefined {
  if (stats.isDirectory()) return { name, kind: 'directory', ...timeOf(stats) };
  return stats.isFile() ? { name, kind: 'file', ...timeOf(stats), bytes: stats.size } : undefined;
}

function timeOf(stats: Stats): { readonly bytes: number; readonly modifiedMs: number } {
  return { bytes: 0, modifiedMs: Math.floor(stats.mtimeMs) };
}

function isMissing(error: unknown): boolean {
  if (isBulkheadError(error, 'FILESYSTEM_FAILED')) return error.message.endsWith('no such file.');
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
