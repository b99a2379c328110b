import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { fileStamp } from '../file-stamp.js';
import type { ChangeEnd } from '../written-files.js';
import { charge, type Usage } from './directory.js';
import { isOwnFile, openFile, requireFile } from './reading.js';
import type { DatabaseRequest } from './request.js';
import { applyCommit, finishCommit, hasCommit, prepareCommit } from './redo.js';
import type { Turn } from './turns.js';
import { atPath, type AreaContext } from './walk.js';

/** The state of a database file, for its guest. */
export interface DatabaseState {
  readonly stamp: string;
  readonly bytes: number;
}

/** Milliseconds of a turn without a request. */
const TURN_MS = 5_000;
/** Milliseconds that a request waits for the turn of another writer. */
const MAX_WAIT_MS = 2_000;
const POLL_MS = 5;

/** Bytes of SQLite's header. It counts the transactions of a file that is changed in place. */
const HEADER_BYTES = 100;

/** The state of a file. A commit that a crash interrupted is finished first. */
export async function databaseState(
  context: AreaContext,
  request: DatabaseRequest,
): Promise<DatabaseState> {
  if (await hasCommit(context, request)) return recovered(context, request);
  const { handle } = await openFile(context, request.path);
  try {
    const state = await stateOf(handle);
    // A commit that began meanwhile has perhaps changed a part of the file.
    if (!(await hasCommit(context, request))) return state;
  } finally {
    await handle.close();
  }
  return recovered(context, request);
}

/** Waits for the commit that is under way, or finishes one that a crash interrupted. */
function recovered(context: AreaContext, request: DatabaseRequest): Promise<DatabaseState> {
  return context.store.exclusively(async (usage) => {
    await finishCommit(context, request, usage);
    const { handle } = await openFile(context, request.path);
    try {
      return await stateOf(handle);
    } finally {
      await handle.close();
    }
  });
}

/** Makes an empty file, unless one exists. */
export async function createDatabase(
  context: AreaContext,
  request: DatabaseRequest,
  usage: Usage,
): Promise<DatabaseState> {
  await finishCommit(context, request, usage);
  return atPath(context, request.path, usage, async (location) => {
    const { directory, name } = location;
    const there = await directory.stat(name);
    if (there === undefined) {
      charge(usage, { bytes: 0, files: 1 }, context.store.limits, context.refusals);
    } else {
      await requireFile(context, location);
    }
    const flags =
      constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(directory.pathOf(name), flags, 0o600);
    try {
      return await stateOf(handle);
    } finally {
      await handle.close();
    }
  });
}

/** A part of the file with this stamp. Rejects with EBUSY if it has another one by now. */
export async function readDatabase(
  context: AreaContext,
  request: DatabaseRequest,
): Promise<Uint8Array> {
  const { handle, bytes } = await openFile(context, request.path);
  try {
    const start = Math.min(request.offset, bytes);
    const content = Buffer.alloc(Math.min(request.length, bytes - start));
    for (let at = 0; at < content.length;) {
      const { bytesRead } = await handle.read(content, at, content.length - at, start + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    const { stamp } = await stateOf(handle);
    // guard: database-read-is-consistent
    if (stamp !== request.stamp || (await hasCommit(context, request))) {
      throw context.refusals.failed(request.path.join('/'), 'EBUSY');
    }
    return content;
  } finally {
    await handle.close();
  }
}

/** Waits until no other writer has its turn. Rejects with EBUSY if that takes too long. */
export async function reserveDatabase(
  context: AreaContext,
  request: DatabaseRequest,
  ended: AbortSignal,
): Promise<{ readonly token: string }> {
  const { turns } = context.store;
  const key = turnOf(context, request);
  const busy = () => context.refusals.failed(request.path.join('/'), 'EBUSY');
  for (const start = performance.now(); isTaken(turns.get(key));) {
    if (performance.now() - start > MAX_WAIT_MS || ended.aborted) throw busy();
    await setTimeout(POLL_MS);
  }
  const turn = { token: randomUUID(), until: performance.now() + TURN_MS };
  // guard: lapsed-turns-forgotten
  for (const [other, { until }] of turns) if (until <= performance.now()) turns.delete(other);
  turns.set(key, turn);
  let isOwn = false;
  try {
    const { stamp } = await databaseState(context, request);
    isOwn = stamp === request.stamp;
  } finally {
    // guard: turn-of-existing-database
    if (!isOwn && turns.get(key) === turn) turns.delete(key);
  }
  if (isOwn) return { token: turn.token };
  throw busy();
}

/**
 * Changes the file, completely or not at all, also if this process or the machine stops. `note` is called
 * before the file changes. What it returns is called unless the disk failed during the change: then
 * the next step on the database finishes the commit.
 */
export async function commitDatabase(
  context: AreaContext,
  request: DatabaseRequest,
  usage: Usage,
  content: Uint8Array,
  note: () => (end: ChangeEnd) => void,
): Promise<DatabaseState> {
  const { store, refusals } = context;
  const path = request.path.join('/');
  const key = turnOf(context, request);
  const turn = store.turns.get(key);
  await finishCommit(context, request, usage);
  // guard: one-database-writer
  if (isTaken(turn) && turn?.token !== request.token) throw refusals.failed(path, 'EBUSY');
  const { handle, bytes } = await openForChange(context, request);
  try {
    const { stamp, ino } = await stateOf(handle);
    // guard: database-commit-on-known-state
    if (stamp !== request.stamp) throw refusals.failed(path, 'EBUSY');
    // guard: database-file-cap
    if (request.size > request.maxFileBytes) {
      throw refusals.limit('maxFileBytes', `${path} would be too large`);
    }
    const { size, kept, runs } = request;
    // guard: database-byte-quota
    charge(usage, { bytes: size - bytes, files: 0 }, store.limits, refusals);
    const commit = { ino, size, kept, runs };
    const end = note();
    let isPrepared = false;
    try {
      await prepareCommit(context, request, commit, content);
      isPrepared = true;
      await applyCommit(context, request, handle, commit, content);
    } catch (error) {
      // The file counts as it is now. The rest is counted when the commit is finished.
      usage.bytes += (await handle.stat()).size - size;
      if (!isPrepared) end(undefined);
      throw error;
    }
    end({ bytes: size, existed: bytes > 0, stamp: await fileStamp(handle) });
    if (turn?.token === request.token) store.turns.delete(key);
    return await stateOf(handle);
  } finally {
    await handle.close();
  }
}

/** Ends a writer's turn. */
export function releaseDatabase(context: AreaContext, request: DatabaseRequest): null {
  const key = turnOf(context, request);
  if (context.store.turns.get(key)?.token === request.token) context.store.turns.delete(key);
  return null;
}

function isTaken(turn: Turn | undefined): boolean {
  return turn !== undefined && turn.until > performance.now();
}

function turnOf({ area }: AreaContext, { path }: DatabaseRequest): string {
  return `${area}:${path.join('/')}`;
}

async function openForChange(
  context: AreaContext,
  { path }: DatabaseRequest,
): Promise<{ readonly handle: FileHandle; readonly bytes: number }> {
  return atPath(context, path, undefined, async (location) => {
    await requireFile(context, location);
    const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK;
    const handle = await open(location.directory.pathOf(location.name), flags);
    const stats = await handle.stat();
    if (isOwnFile(stats)) return { handle, bytes: stats.size };
    await handle.close();
    throw context.refusals.foreign(location.path);
  });
}

/** Differs after each change of the content, by the plugin's files or by a transaction. */
async function stateOf(handle: FileHandle): Promise<DatabaseState & { readonly ino: string }> {
  const header = Buffer.alloc(HEADER_BYTES);
  const { bytesRead } = await handle.read(header, 0, HEADER_BYTES, 0);
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
  const counters = header.subarray(24, bytesRead < HEADER_BYTES ? 24 : 28).toString('hex');
  return { stamp: `${ino}-${size}-${mtimeNs}-${counters}`, bytes: Number(size), ino: String(ino) };
}
