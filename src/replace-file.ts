import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeDirectories, makeDirectoriesSync } from './make-directories.js';

export interface ReplaceOptions {
  /** The mode of the new file. The mode of the file that it replaces does not count. */
  readonly mode: 0o600 | 0o644;
  /** The mode of directories that are missing. Default: 0777 without the bits of the umask. */
  readonly directoryMode?: 0o700;
  /**
   * Whether the new content survives a power failure as soon as the call returns. Default: false. A process
   * that dies never leaves a half file, with or without it.
   */
  readonly durable?: boolean;
}

/**
 * Replaces a file in one step, or creates it, with its directories. A reader sees the old content or the new
 * one. Of several writers at the same time, in one or in several processes, the last one wins whole. A failed
 * call changes nothing and removes its draft. If the path is a link, the link is replaced and not its target.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { mode, directoryMode, durable = false }: ReplaceOptions,
): Promise<void> {
  await makeDirectories(dirname(path), directoryMode);
  removeOldDrafts(dirname(path));
  const draft = draftOf(path);
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (durable) await syncDirectory(dirname(path));
}

/** As `replaceFile`, for callers that cannot wait. */
export function replaceFileSync(
  path: string,
  content: string | Uint8Array,
  { mode, directoryMode, durable = false }: ReplaceOptions,
): void {
  makeDirectoriesSync(dirname(path), directoryMode);
  removeOldDrafts(dirname(path));
  const draft = draftOf(path);
  writeNewFile(draft, content, mode, durable);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (durable) syncDirectorySync(dirname(path));
}

/** Writes a new file whole. Throws `EEXIST` for a path that is taken. A failure leaves no file. */
export function writeNewFile(
  path: string,
  content: string | Uint8Array,
  mode: 0o600 | 0o644,
  durable: boolean,
): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, content);
    if (durable) fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * A hidden name beside the file, for its next content. Each call returns another name: a process id would
 * not do, because one process may write twice at once, and containers with one volume have equal ids.
 */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.draft`);
}

/**
 * Removes the drafts of a directory that are older than an hour: their writers were killed, and a draft
 * may hold what the file no longer holds. Looks once into each directory, and never throws.
 */
export function removeOldDrafts(directory: string): void {
  if (cleaned.has(directory)) return;
  if (cleaned.size >= MAX_CLEANED) cleaned.clear();
  cleaned.add(directory);
  try {
    for (const name of readdirSync(directory)) {
      if (DRAFT.test(name)) removeIfOld(join(directory, name));
    }
  } catch {
    // The draft of the caller will fail too, with a better error.
  }
}

function removeIfOld(draft: string): void {
  const stats = lstatSync(draft, { throwIfNoEntry: false });
  // A time to come is a wrong clock.
  const isOld = stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) > OLD_DRAFT_MS;
  if (isOld && stats.isFile()) rmSync(draft, { force: true });
}

const DRAFT = /^\..+\.[0-9a-f]{16}\.draft$/;
const OLD_DRAFT_MS = 3_600_000;
const cleaned = new Set<string>();
const MAX_CLEANED = 1_000;

/** Stores a directory's entries: a new name is on the disk only after its directory is. */
export async function syncDirectory(path: string): Promise<void> {
  if (!HAS_DIRECTORY_FILES) return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** As `syncDirectory`, for callers that cannot wait. */
export function syncDirectorySync(path: string): void {
  if (!HAS_DIRECTORY_FILES) return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Windows cannot open a directory as a file. */
const HAS_DIRECTORY_FILES = process.platform !== 'win32';
