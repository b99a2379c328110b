import { lstatSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { look } from './look.js';

/**
 * What a bundle was made from, in enough detail to say later whether it would come out the same:
 * every file that was read, and the answer to every question that was asked of the directory.
 */
export interface Evidence {
  /** The plugin's directory, by its real path. */
  readonly root: string;
  readonly files: Readonly<Record<string, FileEvidence>>;
  /** For each path that was looked up, what was there. */
  readonly lookups: Readonly<Record<string, string>>;
}

export interface FileEvidence {
  readonly bytes: number;
  /** Changes whenever the file does: see `stampOf`. */
  readonly stamp: string;
}

/** Names one state of a file. The change time is the kernel's: no program can set it back. */
export function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join('-');
}

/** Whether everything is still as it was. Lets the rest of the process run in between. */
export async function isCurrent({ root, files, lookups }: Evidence): Promise<boolean> {
  let count = 0;
  for (const [path, found] of Object.entries(lookups)) {
    // What was read is looked at below, closer.
    if (found === 'file' && Object.hasOwn(files, path)) continue;
    if (look(join(root, path)) !== found) return false;
    count += 1;
    if (count % 500 === 0) await setImmediate();
  }
  return Object.entries(files).every(([path, { stamp }]) => {
    const stats = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && stampOf(stats) === stamp;
  });
}
