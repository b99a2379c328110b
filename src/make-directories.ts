import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it. Throws the error of the file system, and nothing if the directory exists.
 *
 * Node's own `recursive` never ends where a directory refuses a new one with `ENOENT`, as `/proc` does: it makes the
 * parent, which exists, and tries again.
 */
export async function makeDirectories(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isDirectory(path)) return;
    if (!isMissing(error) || dirname(path) === path) throw error;
    if (!(await isDirectory(dirname(path)))) await makeDirectories(dirname(path), mode);
    // Another caller may have made the parent, or this one, meanwhile.
    await mkdir(path, { mode }).catch(async (again: unknown) => {
      if (!(await isDirectory(path))) throw again;
    });
  }
}

/** `makeDirectories` without waiting. */
export function makeDirectoriesSync(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isDirectorySync(path)) return;
    if (!isMissing(error) || dirname(path) === path) throw error;
    if (!isDirectorySync(dirname(path))) makeDirectoriesSync(dirname(path), mode);
    try {
      mkdirSync(path, { mode });
    } catch (again) {
      if (!isDirectorySync(path)) throw again;
    }
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isDirectorySync(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
