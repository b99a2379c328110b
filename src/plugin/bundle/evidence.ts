import { type BigIntStats, type Stats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { hash } from '../../hash.js';

/**
 * The state of the plugin's directory that a bundle depends on: every file that was read, and the
 * result of every lookup. If it is unchanged, a new bundle would be the same.
 */
export interface Evidence {
  /** The plugin's directory, by its real path. */
  readonly root: string;
  /** Packages beside the plugin that count as its own, by name. */
  readonly hoisted: readonly string[];
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

/** The stamp of a path itself. `undefined` if nothing is there. */
export function stampNow(path: string): string | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : stampOf(stats);
}

/** The result of a lookup, as plain data. */
export type Found =
  | 'file'
  | 'directory'
  | 'absent'
  | 'other'
  | `link:${string}`
  | `entries:${string}`;

/** The end of a lookup that lists a directory. No path has it. */
export const LISTING = '//';

/** The sorted names in a directory, and their hash as the result of that lookup. */
export function inspectEntries(path: string): {
  readonly names: readonly string[];
  readonly found: Found;
} {
  try {
    const names = readdirSync(path).toSorted();
    return { names, found: `entries:${hash('sha256', JSON.stringify(names), 'hex')}` };
  } catch {
    return { names: [], found: 'absent' };
  }
}

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
