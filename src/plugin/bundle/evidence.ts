import { type BigIntStats, type Stats, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/**
 * The state of the plugin's directory that a bundle depends on: every file that was read, and the
 * result of every lookup. If it is unchanged, a new bundle would be the same.
 */
export interface Evidence {
  /** The plugin's directory, by its real path. */
  readonly root: string;
  readonly files: Readonly<Record<string, FileEvidence>>;
  /** The result of each lookup, by path. */
  readonly lookups: Readonly<Record<string, string>>;
}

export interface FileEvidence {
  readonly bytes: number;
  /** sha512 of the content that was read. */
  readonly hash: string;
  /** Changes whenever the file does: see `stampOf`. */
  readonly stamp: string;
}

/** Identifies the state of a file. It includes ctime, which programs cannot set. */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join('-');
}

/** Whether the state is unchanged. Yields to the event loop every 500 lookups. */
export async function isCurrent({ root, files, lookups }: Evidence): Promise<boolean> {
  let count = 0;
  for (const [path, found] of Object.entries(lookups)) {
    // Files that were read are compared by their stamps below.
    if (found === 'file' && Object.hasOwn(files, path)) continue;
    if (inspectPath(join(root, path)) !== found) return false;
    count += 1;
    if (count % 500 === 0) await setImmediate();
  }
  return Object.entries(files).every(([path, { stamp }]) => {
    const stats = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && stampOf(stats) === stamp;
  });
}

/** The result of a lookup, as plain data. */
export type Found = 'file' | 'directory' | 'absent' | 'other' | `link:${string}`;

/** The kind of a path, by `lstat`: opens nothing and follows no link. */
export function inspectPath(path: string): Found {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // The name is too long, a parent is not a directory, or access is denied: counts as absent.
    return 'absent';
  }
  if (stats === undefined) return 'absent';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? `link:${readlinkSync(path)}` : 'other';
}
