import { lstatSync, readlinkSync, type Stats } from 'node:fs';

/** What may be found at a path: as text, so that it is plain data. */
export type Found = 'file' | 'directory' | 'absent' | 'other' | `link:${string}`;

/** What is at one path itself. Never opens it, and never follows a link. */
export function look(path: string): Found {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // Too long a name, a file where a directory is expected, no permission: not there for us.
    return 'absent';
  }
  if (stats === undefined) return 'absent';
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? `link:${readlinkSync(path)}` : 'other';
}
