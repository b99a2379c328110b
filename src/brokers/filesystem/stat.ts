import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import { isBulkheadError, systemCode } from '../../errors.js';
import { type CheckedPath, checkPath, openChecked } from './checked-path.js';
import type { Root } from './roots.js';
import type { FilesystemLimits } from '../limits.js';
import type { Refusals } from './refusals.js';

export interface InspectSpec extends InspectContext {
  readonly requested: string;
  readonly isList: boolean;
}

export interface InspectContext {
  readonly directory: string;
  readonly roots: readonly Root[];
  readonly refusals: Refusals;
  readonly limits: FilesystemLimits;
}

/**
 * The entry at a path, or its entries: files and directories within the grant. Checks the path as
 * for a read, and then checks what was opened.
 */
export async function inspectPath(
  spec: InspectSpec,
): Promise<StorageEntry | readonly StorageEntry[] | null> {
  const { requested, isList, directory, roots, refusals, limits } = spec;
  try {
    const checked = await checkPath(requested, directory, roots, refusals);
    const isDirectory = (await lstat(checked.real)).isDirectory();
    if (isDirectory)
      return await inspectDirectory(checked, refusals, isList ? limits.maxEntries : undefined);
    if (isList) throw refusals.failed(requested, 'it is not a directory');
    const { handle } = await openChecked(checked, refusals);
    try {
      return entryOf(basename(requested), await handle.stat()) ?? null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isList && isMissing(error)) return null;
    throw error;
  }
}

/** The directory itself, or its entries if `maxEntries` is given. */
async function inspectDirectory(
  path: CheckedPath,
  refusals: Refusals,
  maxEntries: number | undefined,
): Promise<StorageEntry | readonly StorageEntry[]> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path.real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const place = await placeOf(handle, path);
    if (!path.admits(place.real))
      throw refusals.leadsOut(path.requested, `what was opened is ${place.real}`);
    if (maxEntries === undefined) {
      return { name: basename(path.requested), kind: 'directory', ...timeOf(await handle.stat()) };
    }
    const entries: StorageEntry[] = [];
    for (const name of (await readdir(place.at)).toSorted()) {
      if (entries.length >= maxEntries) break;
      // guard: hidden-entries-are-missing
      if (path.hidesEntries && name.startsWith('.')) continue;
      const stats = await lstat(`${place.at}/${name}`).catch(() => undefined);
      const entry = stats === undefined ? undefined : entryOf(name, stats);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  } finally {
    await handle.close();
  }
}

/** The real path of the open directory, and the path for its names while it is open. */
async function placeOf(
  handle: FileHandle,
  path: CheckedPath,
): Promise<{ readonly real: string; readonly at: string }> {
  const held = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(held).catch(() => undefined);
  // Without /proc (macOS) only the path is available.
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
  return systemCode(error) === 'ENOENT';
}
