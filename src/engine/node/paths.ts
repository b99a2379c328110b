import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The path without links. A path that does not exist stays as it is. */
export function withoutLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The entries of a directory, as paths. None if it does not exist. */
export function listDirectories(parent: string): readonly string[] {
  try {
    return readdirSync(parent).map((name) => join(parent, name));
  } catch {
    return [];
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function exists(path: string): boolean {
  return existsSync(path);
}
