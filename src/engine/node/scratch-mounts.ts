import { constants, rmSync } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { isWithin } from '../../brokers/filesystem/roots.js';
import { filesystem, type PathScope, parseScope } from '../../permissions/filesystem.js';

/** Where a broker finds the mounts of one run, and what is closed there. */
export interface MountPlaces {
  /** The scope at whose path the broker works, for a granted scope. */
  placeOf(scope: string): string;
  /** The places of paths that no grant makes writable. */
  closed(paths: readonly string[]): readonly string[];
}

/** Copies of the writable mounts of a plugin, for one run. */
export interface ScratchMounts extends MountPlaces {
  /** Whether a path that the plugin wrote lies in a copy. */
  has(path: string): boolean;
}

export interface ScratchMountsSpec {
  /** An empty directory for the copies. */
  readonly directory: string;
  /** The storage directory of the engine, which is not copied into itself. */
  readonly storageDirectory: string;
  readonly granted: readonly string[];
}

/** The most that the copies of one run hold. A mount that has more is not copied. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 20_000;

/**
 * Copies the writable mounts. Of a mount that is too large, or that cannot be read whole, there is no copy,
 * and it is not writable. Links are copied as they are, so that an absolute one leads out of the copy.
 */
export async function openScratchMounts(spec: ScratchMountsSpec): Promise<ScratchMounts> {
  const budget = { bytes: MAX_BYTES, files: MAX_FILES };
  const leftOut = resolve(spec.storageDirectory);
  const copies = new Map<string, { readonly from: string; readonly to: string }>();
  const writable = spec.granted.filter((scope) => parseScope(scope).isWritable);
  for (const [index, scope] of writable.entries()) {
    const from = parseScope(scope).path;
    if (isWithin(leftOut, from)) continue;
    const to = join(spec.directory, String(index));
    try {
      await copyTree(from, to, { budget, leftOut });
      copies.set(scope, { from, to });
    } catch {
      rmSync(to, { recursive: true, force: true });
    }
  }
  return {
    placeOf: (scope) => {
      const parsed = parseScope(scope);
      if (!parsed.isWritable) return scope;
      const copy = copies.get(scope);
      // guard: dry-run-mounts-copied
      if (copy === undefined) return filesystem.format({ ...parsed, isWritable: false });
      return filesystem.format({ ...parsed, path: copy.to, at: placeInGuest(parsed) });
    },
    closed: (paths) => [
      ...paths.filter((path) => !isWithin(path, spec.directory)),
      ...paths.flatMap((path) =>
        [...copies.values()].flatMap(({ from, to }) =>
          isWithin(from, path) ? [join(to, relative(from, path))] : [],
        ),
      ),
    ],
    has: (path) => {
      const scopes = writable.filter((scope) => isWithin(placeInGuest(parseScope(scope)), path));
      const [deepest] = scopes.toSorted(
        (a, b) => placeInGuest(parseScope(b)).length - placeInGuest(parseScope(a)).length,
      );
      return path.startsWith('/') && deepest !== undefined && copies.has(deepest);
    },
  };
}

function placeInGuest({ path, at = path }: PathScope): string {
  return at;
}

interface Copying {
  readonly budget: { bytes: number; files: number };
  readonly leftOut: string;
}

async function copyTree(from: string, to: string, copying: Copying): Promise<void> {
  const { budget, leftOut } = copying;
  if (isWithin(leftOut, from)) return;
  const stats = await lstat(from);
  budget.files -= 1;
  if (stats.isFile()) budget.bytes -= stats.size;
  // guard: dry-run-mount-copy-capped
  if (budget.files < 0 || budget.bytes < 0) throw new Error('it is too large to copy');
  if (stats.isSymbolicLink()) return symlink(await readlink(from), to);
  if (stats.isFile()) return copyFile(from, to, constants.COPYFILE_FICLONE);
  // Pipes, sockets and devices are not files of a workspace.
  if (!stats.isDirectory()) return;
  await mkdir(to, { mode: 0o700 });
  for (const name of await readdir(from)) await copyTree(join(from, name), join(to, name), copying);
}
