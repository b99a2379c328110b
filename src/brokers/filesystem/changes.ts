import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { protectedBelow } from '../../permissions/filesystem.js';
import { protectedName, startsProtectedName } from '../../permissions/protected-names.js';
import { isBulkheadError, systemCode } from '../../errors.js';
import { isSpecial, realRootOf } from './checked-path.js';
import { fileStamp } from '../file-stamp.js';
import type { Amount } from './mount-use.js';
import type { Refusals } from './refusals.js';
import { hostPathOf, isWithin, type Root } from './roots.js';

/** One change of the files in a writable mount. */
export type FileChange =
  | { readonly op: 'write' | 'append'; readonly path: string; readonly content: Uint8Array }
  | { readonly op: 'mkdir'; readonly path: string }
  | { readonly op: 'delete'; readonly path: string; readonly recursive: boolean }
  | { readonly op: 'move'; readonly path: string; readonly to: string };

export interface ChangeContext {
  readonly directory: string;
  readonly roots: readonly Root[];
  readonly refusals: Refusals;
  /** Paths of the operator that no grant makes writable: lock file, rules, plugins, storage. */
  readonly closed: readonly string[];
  /** The cap of one file, in bytes. */
  readonly maxFileBytes: number;
  /** Counts what a change adds, or throws a refusal. */
  readonly charge: (more: Amount) => void;
  /** Receives the `fileStamp` of a file that was written. */
  readonly onWritten: (stamp: string) => void;
}

/**
 * Applies one change and returns whether anything was there to change. A change goes through an open
 * directory, whose real path was checked after it was opened, so that a link that appears meanwhile
 * cannot lead it elsewhere. A file is replaced as a whole: what other names link to it stays.
 */
export async function applyChange(change: FileChange, context: ChangeContext): Promise<boolean> {
  switch (change.op) {
    case 'write':
      return inPlace(change.path, context, 'create', (place) => write(place, change.content));
    case 'append':
      return inPlace(change.path, context, 'create', (place) => append(place, change.content));
    case 'mkdir':
      return inPlace(change.path, context, 'create', makeDirectory);
    case 'delete':
      return inPlace(change.path, context, 'existing', (place) => remove(place, change.recursive));
    case 'move':
      return inPlace(change.path, context, 'existing', (from) =>
        inPlace(change.to, context, 'existing', (to) => move(from, to)),
      );
  }
}

/** A name in an open directory of a writable mount. */
interface OpenPlace {
  /** The path that the plugin wrote. */
  readonly requested: string;
  /** The path of the name, through the open directory. */
  readonly at: string;
  /** The path of another name in the same directory. */
  readonly beside: (name: string) => string;
  readonly stats: Stats | undefined;
  readonly refusals: Refusals;
  readonly maxFileBytes: number;
  readonly charge: ChangeContext['charge'];
  readonly onWritten: ChangeContext['onWritten'];
}

/**
 * Opens the directory of a path, checks it, and runs `work`. `create` makes missing directories and
 * follows a link at the end; `existing` changes the link itself.
 */
async function inPlace(
  requested: string,
  context: ChangeContext,
  parents: 'create' | 'existing',
  work: (place: OpenPlace) => Promise<boolean>,
): Promise<boolean> {
  const { directory, roots, refusals, maxFileBytes, charge, onWritten } = context;
  const path = hostPathOf(requested, directory, roots);
  if (path === undefined || !roots.some((root) => isWithin(root.path, path))) {
    throw refusals.notGranted(requested);
  }
  checkWritable(requested, path, roots, context);
  // A mount's own directory is neither replaced nor deleted.
  if (roots.some((root) => root.path === path)) throw refusals.fault('EISDIR', requested);

  const realRoots = await Promise.all(
    roots.map(async (root) => (await realRootOf(root)).map((real) => ({ ...root, path: real }))),
  );
  const isThere = roots.some(
    (root, at) => root.isWritable && isWithin(root.path, path) && realRoots[at]?.length !== 0,
  );
  // The operator granted a directory that does not exist.
  if (!isThere) throw refusals.fault('ENOENT', requested);
  const checkReal = (real: string): void =>
    checkWritable(requested, real, realRoots.flat(), context);
  const target = parents === 'create' ? await resolveTarget(path, requested, refusals) : path;
  if (parents === 'create') await makeParents(target, checkReal, requested, context);
  const parent = await openDirectory(dirname(target), requested, refusals);
  try {
    const name = basename(target);
    checkReal(join(parent.real, name));
    const at = join(parent.at, name);
    return await work({
      requested,
      at,
      beside: (other) => join(parent.at, other),
      stats: await lstat(at).catch(() => undefined),
      refusals,
      maxFileBytes,
      charge,
      onWritten,
    });
  } catch (error) {
    throw explained(error, requested, refusals);
  } finally {
    await parent.handle.close();
  }
}

/** Throws unless a writable root has the path, and no protected name lies below that root. */
function checkWritable(
  requested: string,
  path: string,
  roots: readonly Root[],
  { refusals, closed }: ChangeContext,
): void {
  const writable = roots.filter((root) => root.isWritable && isWithin(root.path, path));
  // guard: mount-writable
  if (writable.length === 0) throw refusals.readOnly(requested);
  // guard: protected-names-refused
  if (writable.every((root) => protectedBelow(root.path, path) !== undefined)) {
    throw refusals.protected(requested);
  }
  if (isSpecial(path) || closed.some((own) => isWithin(own, path))) {
    throw refusals.protected(requested);
  }
}

async function resolveTarget(path: string, requested: string, refusals: Refusals): Promise<string> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats?.isSymbolicLink() !== true) return path;
  try {
    return await realpath(path);
  } catch (error) {
    throw refusals.leadsOut(requested, error);
  }
}

/** Makes the directories on the way, each inside the real path of its parent. */
async function makeParents(
  target: string,
  checkReal: (real: string) => void,
  requested: string,
  { refusals, charge }: ChangeContext,
): Promise<void> {
  const missing: string[] = [];
  let at = dirname(target);
  while ((await lstat(at).catch(() => undefined)) === undefined && at !== dirname(at)) {
    missing.unshift(basename(at));
    at = dirname(at);
  }
  for (const name of missing) {
    const parent = await openDirectory(at, requested, refusals);
    try {
      checkReal(join(parent.real, name));
      await charged(charge, ONE_FILE, () => mkdir(join(parent.at, name))).catch(
        (error: unknown) => {
          if (systemCode(error) !== 'EEXIST') throw error;
        },
      );
    } catch (error) {
      throw explained(error, requested, refusals);
    } finally {
      await parent.handle.close();
    }
    at = join(at, name);
  }
}

interface OpenDirectory {
  readonly handle: FileHandle;
  /** Its path without links, read after it was opened. */
  readonly real: string;
  /** The path for its names while it is open. */
  readonly at: string;
}

async function openDirectory(
  path: string,
  requested: string,
  refusals: Refusals,
): Promise<OpenDirectory> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  let handle: FileHandle;
  try {
    handle = await open(await realpath(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw explained(error, requested, refusals);
  }
  const at = `/proc/self/fd/${handle.fd}`;
  const real = await readlink(at).catch(() => undefined);
  // Without /proc (macOS) only the path is available.
  return real === undefined
    ? { handle, real: await realpath(path), at: path }
    : { handle, real, at };
}

/** Runs a step that adds this much. A step that fails is not counted. */
async function charged<Result>(
  charge: ChangeContext['charge'],
  { bytes, files }: Amount,
  step: () => Promise<Result>,
): Promise<Result> {
  const more = Math.max(0, bytes);
  charge({ bytes: more, files });
  try {
    const result = await step();
    charge({ bytes: bytes - more, files: 0 });
    return result;
  } catch (error) {
    charge({ bytes: -more, files: -files });
    throw error;
  }
}

const ONE_FILE: Amount = { bytes: 0, files: 1 };

/** A file that is written. It has `size` bytes before, and does not exist without them. */
function added(bytes: number, size: number | undefined): Amount {
  return { bytes: bytes - (size ?? 0), files: size === undefined ? 1 : 0 };
}

function write(place: OpenPlace, content: Uint8Array): Promise<boolean> {
  demandFile(place);
  const more = added(content.length, place.stats?.size);
  return charged(place.charge, more, () => replace(place, content));
}

async function replace(place: OpenPlace, content: Uint8Array): Promise<boolean> {
  const { stats, at } = place;
  const draft = place.beside(`.bulkhead-${randomBytes(8).toString('hex')}`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  // The replacement would not need the permission to write the old file.
  if (stats !== undefined) await access(at, constants.W_OK);
  const mode = stats === undefined ? 0o666 : stats.mode & 0o777;
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      await handle.writeFile(content);
      if (stats !== undefined) await handle.chmod(mode);
      place.onWritten(await fileStamp(handle));
    } finally {
      await handle.close();
    }
    // The name is replaced. Other names of the old file (hard links) stay as they were.
    await rename(draft, at);
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  return stats !== undefined;
}

async function append(place: OpenPlace, content: Uint8Array): Promise<boolean> {
  const { at, stats, requested, refusals, maxFileBytes, charge } = place;
  demandFile(place);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const more = { bytes: content.length, files: stats === undefined ? 1 : 0 };
  return charged(charge, more, async () => {
    const handle = await open(at, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
    try {
      const opened = await handle.stat();
      // guard: append-without-other-names
      if (!opened.isFile() || opened.nlink > 1) throw refusals.leadsOut(requested, 'a hard link');
      // guard: appended-file-cap
      if (opened.size + content.length > maxFileBytes) {
        throw refusals.limit('maxFileBytes', `${requested} would be too long`);
      }
      await handle.appendFile(content).catch(async (error: unknown) => {
        await handle.truncate(opened.size);
        throw error;
      });
      place.onWritten(await fileStamp(handle));
    } finally {
      await handle.close();
    }
    return stats !== undefined;
  });
}

async function makeDirectory(place: OpenPlace): Promise<boolean> {
  const { at, stats, requested, refusals, charge } = place;
  if (stats?.isDirectory() === true) return true;
  if (stats !== undefined) throw refusals.fault('EEXIST', requested);
  await charged(charge, ONE_FILE, () => mkdir(at));
  return false;
}

async function remove(place: OpenPlace, recursive: boolean): Promise<boolean> {
  const { at, stats, requested, refusals, charge } = place;
  if (stats === undefined) return false;
  if (!stats.isDirectory()) {
    await unlink(at);
    charge({ bytes: -stats.size, files: -1 });
    return true;
  }
  if (!recursive) {
    await rmdir(at);
    charge({ bytes: 0, files: -1 });
    return true;
  }
  if (await hasProtected(at)) throw refusals.protected(requested);
  const { bytes, files } = await measure(at);
  await rm(at, { recursive: true });
  charge({ bytes: -bytes, files: -files });
  return true;
}

/** The files of a tree, with its top. What disappears meanwhile does not count. */
async function measure(top: string): Promise<Amount> {
  let [bytes, files] = [0, 1];
  for (const entry of await readdir(top, { withFileTypes: true, recursive: true })) {
    files += 1;
    if (!entry.isFile()) continue;
    const stats = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += stats?.size ?? 0;
  }
  return { bytes, files };
}

async function move(from: OpenPlace, to: OpenPlace): Promise<boolean> {
  const { refusals } = from;
  if (from.stats === undefined) throw refusals.fault('ENOENT', from.requested);
  if (from.stats.isDirectory()) {
    // guard: moved-tree-without-protected-names
    if (startsProtectedName(basename(to.at)) || (await hasProtected(from.at))) {
      throw refusals.protected(to.requested);
    }
  }
  await rename(from.at, to.at);
  if (to.stats !== undefined && to.stats.ino !== from.stats.ino) {
    to.charge({ bytes: to.stats.isFile() ? -to.stats.size : 0, files: -1 });
  }
  return true;
}

/** Whether a tree has a protected name. A link in it is not followed. */
async function hasProtected(top: string): Promise<boolean> {
  for (const entry of await readdir(top, { withFileTypes: true, recursive: true })) {
    const below = join(entry.parentPath, entry.name).slice(top.length + 1);
    if (protectedName(below.split('/')) !== undefined) return true;
  }
  return false;
}

function demandFile({ stats, requested, refusals }: OpenPlace): void {
  if (stats?.isDirectory() === true) throw refusals.fault('EISDIR', requested);
  // A pipe or a device is not written, and a link that appeared now is not followed.
  if (stats !== undefined && !stats.isFile()) {
    throw refusals.failed(requested, 'it is not a regular file');
  }
}

const FAULTS = ['ENOENT', 'EEXIST', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY'] as const;

/** A system error as a refusal that the plugin understands. */
function explained(error: unknown, requested: string, refusals: Refusals): unknown {
  if (isBulkheadError(error)) return error;
  const code = systemCode(error);
  const fault = FAULTS.find((one) => one === code);
  if (fault !== undefined) return refusals.fault(fault, requested);
  if (code === 'ELOOP') return refusals.leadsOut(requested, error);
  const why =
    code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
      ? 'the host itself may not write it'
      : code === 'ENOSPC'
        ? 'the disk is full'
        : 'the change failed';
  return refusals.failed(requested, why, error);
}
