import { lstat, realpath, type FileHandle, open, readlink } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { constants } from 'node:fs';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { FilesystemLimits } from '../limits.js';
import { type BulkheadError, systemCode } from '../../errors.js';
import type { Refusals } from './refusals.js';
import { hostPathOf, isWithin, type Root } from './roots.js';

/** Reads the path from a guest's params. */
export function parsePath(params: unknown, limits: FilesystemLimits, refusals: Refusals): string {
  const path = isRecord(params) ? params['path'] : undefined;
  if (typeof path !== 'string') throw refusals.malformed('is not a string');
  if (path === '') throw refusals.malformed('is empty');
  if (Buffer.byteLength(path) > limits.maxPathBytes) {
    throw refusals.limit('maxPathBytes', 'its path is too long');
  }
  // The system would stop at this character, and open another file than the checked one.
  // guard: path-without-nul
  if (path.includes('\0')) throw refusals.malformed('holds a NUL character');
  // The system would read lone surrogates as U+FFFD: again another file.
  if (/\p{Surrogate}/u.test(path)) throw refusals.malformed('is not well-formed text');
  if (/^file:/i.test(path)) throw refusals.malformed('is a URL. A path is written without "file:"');
  return path;
}

// The class exposes its private constructor only to this file.
let newCheckedPath: (
  requested: string,
  real: string,
  realRoots: readonly string[],
  root: { readonly isNamed: boolean; readonly isPinned: boolean },
) => CheckedPath;

/**
 * A path that is inside the grant, by its text and by the target of its links. Only `checkPath` makes
 * one, and only a checked path can be opened, so that an unchecked open does not compile. The check
 * holds for one moment: `openChecked` compares the opened file with `admits`.
 */
export class CheckedPath {
  /** The path that the plugin wrote. */
  readonly requested: string;
  /** The path without links at the time of the check. */
  readonly real: string;
  /** Whether hidden entries of the directory are missing. */
  readonly hidesEntries: boolean;
  readonly #realRoots: readonly string[];
  readonly #named: boolean;

  private constructor(...[requested, real, realRoots, root]: Parameters<typeof newCheckedPath>) {
    this.requested = requested;
    this.real = real;
    this.hidesEntries = root.isPinned;
    this.#realRoots = realRoots;
    this.#named = root.isNamed;
  }

  static {
    newCheckedPath = (...proof) => new CheckedPath(...proof);
  }

  /** Whether the file at this real path may be read for the checked path. */
  admits(real: string): boolean {
    // guard: kernel-files-refused
    if (isSpecial(real)) return this.#named && real === this.real;
    // guard: real-path-inside-grant
    return this.#realRoots.some((root) => isWithin(root, real));
  }
}

/**
 * Checks `requested`, relative to `directory`, against the roots. Throws a refusal. A path whose
 * text is outside is not inspected, so that the plugin does not learn whether it exists.
 */
export async function checkPath(
  requested: string,
  directory: string,
  roots: readonly Root[],
  refusals: Refusals,
): Promise<CheckedPath> {
  const path = hostPathOf(requested, directory, roots);
  // guard: path-inside-grant
  const root =
    path === undefined ? undefined : roots.find((candidate) => isWithin(candidate.path, path));
  if (path === undefined || root === undefined) throw refusals.notGranted(requested);
  // guard: hidden-files-are-missing
  if (root.isPinned && hasHiddenName(directory, path)) {
    // The same answer for a hidden file that exists.
    throw refusals.failed(requested, 'there is no such file');
  }
  const real = await realpath(path).catch(async (error: unknown) => {
    // The same refusal for all targets of a link, existing or not.
    throw (await hasLink(root, path))
      ? refusals.leadsOut(requested, error)
      : refusals.failed(requested, reasonOf(error), error);
  });
  const realRoots = (await Promise.all(roots.map(realRootOf))).flat();
  const isNamed = roots.some((candidate) => candidate.path === path);
  // guard: real-path-inside-before-open
  if (!realRoots.some((realRoot) => isWithin(realRoot, real))) {
    throw refusals.leadsOut(requested, `it leads to ${real}`);
  }
  // guard: pinned-files-without-hidden-ones
  if (root.isPinned && hasHiddenName(directory, real)) {
    throw refusals.leadsOut(requested, 'it leads to a hidden file');
  }
  const checked = newCheckedPath(requested, real, realRoots, {
    isNamed,
    isPinned: root.isPinned,
  });
  if (!checked.admits(real)) throw refusals.special(requested);
  return checked;
}

function hasHiddenName(directory: string, path: string): boolean {
  return relative(directory, path)
    .split(sep)
    .some((name) => name.startsWith('.'));
}

/**
 * The refusal of a path that is not granted. A path in the plugin's own directory that does not exist
 * is missing: the author knows those files, and programs test for files that they may have written.
 */
export async function withoutGrant(
  requested: string,
  directory: string,
  refusals: Refusals,
  denial: BulkheadError = refusals.notGranted(requested),
): Promise<BulkheadError> {
  const own = resolve(directory, requested);
  const isMissing =
    !isAbsolute(requested) && isWithin(directory, own) && !(await exists(directory, own));
  return isMissing ? refusals.failed(requested, 'there is no such file') : denial;
}

/** Whether an entry exists without following links on the way, which could lead anywhere. */
async function exists(directory: string, path: string): Promise<boolean> {
  let at = directory;
  for (const segment of relative(directory, path).split(sep)) {
    at = join(at, segment);
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined) return false;
    if (stats.isSymbolicLink()) return true;
  }
  return true;
}

/** The real path of a root; none if it does not exist or leaves its anchor. */
export async function realRootOf({ path, anchor }: Root): Promise<readonly string[]> {
  try {
    const real = await realpath(path);
    // guard: grant-prefix-inside-plugin
    return anchor === undefined || isWithin(await realpath(anchor), real) ? [real] : [];
  } catch {
    return [];
  }
}

/** Whether `path` contains a link below the root or its anchor. */
async function hasLink(root: Root, path: string): Promise<boolean> {
  let at = root.anchor ?? root.path;
  for (const segment of relative(at, path).split(sep)) {
    at = join(at, segment);
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined) return false;
    if (stats.isSymbolicLink()) return true;
  }
  return false;
}

/**
 * Files of the kernel. `/proc` shows the host's variables and memory, `/dev` its disks, and some
 * reads have effects. A grant of `/` excludes them.
 */
export function isSpecial(real: string): boolean {
  return ['/proc', '/sys', '/dev'].some((tree) => isWithin(tree, real));
}

export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'the host itself may not read it';
  return 'there is no such file';
}

export interface OpenedFile {
  readonly handle: FileHandle;
  /** Its size now. */
  readonly bytes: number;
  readonly realPath: string;
}

/**
 * Opens a checked path and then checks the opened file: since the check, a link may have replaced
 * any part of the path. Opens only regular files, so that it never waits for a pipe or triggers a
 * device.
 *
 * It does not detect hard links. A process that can create one inside a granted prefix can expose
 * that file. A guest cannot, because it cannot write files.
 */
export async function openChecked(
  path: CheckedPath,
  refusals: Refusals,
  descriptors: string = '/proc/self/fd',
): Promise<OpenedFile> {
  const handle = await openRegular(path, refusals);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refusals.failed(path.requested, NOT_REGULAR);
    const realPath = await locate(handle, path, descriptors);
    // guard: opened-path-inside-grant
    if (realPath === undefined || !path.admits(realPath)) {
      throw refusals.leadsOut(path.requested, `what was opened is ${realPath ?? 'elsewhere'}`);
    }
    return { handle, bytes: stats.size, realPath };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const NOT_REGULAR = 'it is not a regular file';

async function openRegular(path: CheckedPath, refusals: Refusals): Promise<FileHandle> {
  try {
    // Opening a device can have effects, so inspect the file first.
    const stats = await lstat(path.real);
    if (stats.isSymbolicLink()) throw refusals.leadsOut(path.requested, 'it became a link');
    // guard: opened-file-is-regular
    if (!stats.isFile()) throw refusals.failed(path.requested, NOT_REGULAR);
    return await open(path.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw refusals.leadsOut(path.requested, error);
    if (code === 'ENOENT') throw refusals.failed(path.requested, 'there is no such file', error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw refusals.failed(path.requested, 'the host itself may not read it', error);
    }
    throw error;
  }
}

/** The real path of the open file, from the kernel; `undefined` if it is not available. */
export async function locate(
  handle: FileHandle,
  path: { readonly real: string },
  descriptors: string,
): Promise<string | undefined> {
  const target = await readlink(`${descriptors}/${handle.fd}`).catch(() => undefined);
  if (target !== undefined) return target;
  // Without /proc (macOS): resolve the path again, and compare its file with the open one. Two
  // replacements, one on each side of the last step, could still deceive this.
  const real = await realpath(path.real).catch(() => undefined);
  if (real === undefined) return undefined;
  const [opened, there] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(real, { bigint: true }).catch(() => undefined),
  ]);
  return opened.dev === there?.dev && opened.ino === there.ino ? real : undefined;
}
