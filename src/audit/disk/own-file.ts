import { access, open, rename } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { makeDirectories } from '../../make-directories.js';
import { auditFailed } from '../store.js';

/** Creates a missing file, with access only for its owner, and its directories. */
export async function makeOwnFile(path: string): Promise<void> {
  await makeDirectories(dirname(path));
  // guard: sqlite-log-private
  const file = await open(path, 'a', 0o600);
  await file.close();
}

/** The new name of a log of format version 1: `audit.v1.jsonl`. */
export function olderName(path: string): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}.v1${extension}`;
}

/** The new name of a log that is not intact: `audit.broken-20261122T220105Z.jsonl`. */
export function brokenName(path: string, nowMs: number): string {
  const extension = extname(path);
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${path.slice(0, path.length - extension.length)}.broken-${time}${extension}`;
}

/** Renames the files of a log. Throws `AUDIT_FAILED` if a name is taken. */
export async function renameOlder(
  path: string,
  moves: readonly (readonly [from: string, to: string])[],
): Promise<void> {
  for (const [, to] of moves) {
    if (!(await exists(to))) continue;
    throw auditFailed(path, `cannot be renamed, because ${to} exists. Move ${to} away`);
  }
  for (const [from, to] of moves) if (await exists(from)) await rename(from, to);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
