import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Directory, Usage } from './directory.js';
import { isMissing } from './reading.js';
import { type DatabaseRequest, parseRuns } from './request.js';
import { atPath, type AreaContext, explained } from './walk.js';

/**
 * The changes of one commit. They are written to a file of their own before the database changes, so
 * that a commit that a crash interrupts is finished later.
 *
 * ```
 *   <plugin>/commits/<digest of area and path>
 *     4 bytes: length of the JSON │ JSON: Commit │ content │ sha256 of all before
 * ```
 */
export interface Commit {
  /** The inode of the database. A file that took its place is not changed. */
  readonly ino: string;
  readonly size: number;
  readonly kept: number;
  readonly runs: readonly (readonly [offset: number, length: number])[];
}

type Place = Pick<DatabaseRequest, 'path'>;

const LENGTH_BYTES = 4;
const DIGEST_BYTES = 32;

/** Whether a commit of the file is under way, or was interrupted. */
export async function hasCommit(context: AreaContext, place: Place): Promise<boolean> {
  return (await lstat(pathOf(context, place)).catch(() => undefined)) !== undefined;
}

/** Writes the changes to the disk. From then on the commit counts. If it fails, nothing of it stays. */
export async function prepareCommit(
  context: AreaContext,
  place: Place,
  commit: Commit,
  content: Uint8Array,
): Promise<void> {
  return explained(context, '', async () => {
    await using drafts = await context.store.drafts();
    await using commits = await context.store.commits();
    const draft = drafts.pathOf(randomUUID());
    const json = Buffer.from(JSON.stringify(commit));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(json.length);
    const parts = [length, json, content];
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part);
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const prepared = commits.pathOf(nameOf(context, place));
    const handle = await open(draft, flags, 0o600);
    try {
      try {
        await handle.writeFile(Buffer.concat([...parts, digest.digest()]));
        // Before the name of the commit is on the disk, its content is.
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(draft, prepared);
      await commits.sync();
    } catch (error) {
      await rm(draft, { force: true });
      await rm(prepared, { force: true });
      throw error;
    }
  });
}

/** Changes the database as prepared. After a crash it is done again. */
export async function applyCommit(
  context: AreaContext,
  place: Place,
  handle: FileHandle,
  { size, kept, runs }: Commit,
  content: Uint8Array,
): Promise<void> {
  return explained(context, '', async () => {
    await handle.truncate(kept);
    let from = 0;
    for (const [offset, length] of runs) {
      const end = from + length;
      for (let at = from; at < end;) {
        at += (await handle.write(content, at, end - at, offset + at - from)).bytesWritten;
      }
      from = end;
    }
    await handle.truncate(size);
    await handle.sync();
    await rm(pathOf(context, place), { force: true });
  });
}

/** Finishes the commit of the file that a crash interrupted, if there is one. */
export async function finishCommit(
  context: AreaContext,
  place: Place,
  usage: Usage,
): Promise<void> {
  if (!(await hasCommit(context, place))) return;
  const path = pathOf(context, place);
  const prepared = parse(await readFile(path));
  const handle = prepared === undefined ? undefined : await openSame(context, place, prepared);
  if (prepared === undefined || handle === undefined) return rm(path, { force: true });
  try {
    const before = (await handle.stat()).size;
    try {
      await applyCommit(context, place, handle, prepared, prepared.content);
    } finally {
      usage.bytes += (await handle.stat()).size - before;
    }
  } finally {
    await handle.close();
  }
}

async function openSame(
  context: AreaContext,
  { path }: Place,
  { ino }: Commit,
): Promise<FileHandle | undefined> {
  const found = await atPath(context, path, undefined, async ({ directory, name }) =>
    openIfSame(directory, name, ino),
  ).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return found;
}

async function openIfSame(
  directory: Directory,
  name: string,
  ino: string,
): Promise<FileHandle | undefined> {
  if ((await directory.stat(name))?.isFile() !== true) return undefined;
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(directory.pathOf(name), flags);
  // guard: interrupted-commit-same-file
  if (String((await handle.stat({ bigint: true })).ino) === ino) return handle;
  await handle.close();
  return undefined;
}

function parse(bytes: Buffer): (Commit & { readonly content: Uint8Array }) | undefined {
  const end = bytes.length - DIGEST_BYTES;
  const start = LENGTH_BYTES + (bytes.length < LENGTH_BYTES ? 0 : bytes.readUInt32LE(0));
  if (start > end) return undefined;
  const digest = createHash('sha256').update(bytes.subarray(0, end)).digest();
  if (!digest.equals(bytes.subarray(end))) return undefined;
  const value: unknown = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, start));
  if (!isRecord(value)) return undefined;
  const { ino, size, kept, runs } = value;
  if (typeof ino !== 'string' || typeof size !== 'number' || typeof kept !== 'number') {
    return undefined;
  }
  return { ino, size, kept, runs: parseRuns(runs), content: bytes.subarray(start, end) };
}

/** Only the host makes names in this directory. */
function pathOf(context: AreaContext, place: Place): string {
  return join(context.store.commitsPath, nameOf(context, place));
}

function nameOf({ area, user }: AreaContext, { path }: Place): string {
  return createHash('sha256')
    .update(JSON.stringify([area, user, ...path]))
    .digest('hex');
}
