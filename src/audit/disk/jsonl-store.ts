import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { START } from '../chain.js';
import { auditFailed } from '../failure.js';
import { AUDIT_LIMITS } from '../limits.js';
import type { Head } from '../record.js';
import type { AuditStore, ReadHint, StoredLine } from '../store.js';
import { makeEncoder } from './encode.js';
import { readLinesOf } from './lines.js';
import { lockLog } from './lock.js';
import { firstSeqOf, fullName, listFull } from './segments.js';
import { lastIn, mendTail } from './tail.js';

export interface JsonlOptions {
  /** A file that would grow beyond this is full: the next record begins another. Default: 16 MiB. */
  readonly maxFileBytes?: number;
  /** Full files that are kept. Default: all of them. */
  readonly keepFiles?: number;
}

/** Keeps a log as lines of JSON in files: to be read with any tool, and appended to alone. */
export function makeJsonlStore(path: string, options: JsonlOptions = {}): AuditStore {
  const maxFileBytes = options.maxFileBytes ?? AUDIT_LIMITS.maxFileBytes;
  let file: FileHandle | undefined;
  let unlock = (): Promise<void> => Promise.resolve();
  let size = 0;
  let firstSeq = 1;
  const encode = makeEncoder();
  const cursor: Cursor = { file: undefined, afterSeq: 0, offset: 0, number: 1 };

  const begin = async (): Promise<FileHandle> => {
    file = await open(path, 'a+', 0o600);
    return file;
  };

  /** Where the chain of the full files ends. */
  const headOfFull = async (): Promise<Head> => {
    const last = (await listFull(path)).at(-1);
    return last === undefined ? START : lastOf(last);
  };

  const rotate = async (current: FileHandle): Promise<FileHandle> => {
    // Each step may fail for a moment, and is then tried again: until the next file is there, this one
    // is what is written.
    await current.datasync();
    await rename(path, fullName(path, firstSeq)).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
    const next = await begin();
    size = 0;
    await current.close();
    await syncDirectory(path);
    return next;
  };

  return {
    name: path,
    open: async () => {
      try {
        await mkdir(dirname(path), { recursive: true });
        unlock = await lockLog(path);
        // Opened for reading and writing at a place: what a write left behind has to be cut off.
        const mending = await open(path, 'a+', 0o600).then(async (made) => {
          await made.close();
          return open(path, 'r+');
        });
        const tail = await mendTail(mending, path).finally(() => mending.close());
        const head = tail.head ?? (await headOfFull());
        size = tail.size;
        firstSeq = tail.head === undefined ? head.seq + 1 : await firstSeqIn(path);
        await begin();
        return { head, torn: tail.torn };
      } catch (error) {
        await unlock();
        throw failure(path, 'cannot be opened', error);
      }
    },
    append: async (records, durable) => {
      if (file === undefined) throw auditFailed(path, 'is not open');
      try {
        let current = file;
        const [first] = records;
        const bytes = encode(records);
        if (first !== undefined && size > 0 && size + bytes.length > maxFileBytes) {
          current = await rotate(current);
        }
        if (first !== undefined && size === 0) firstSeq = first.record.seq;
        if (bytes.length > 0) await writeWhole(current, bytes, size);
        size += bytes.length;
        if (durable) await current.datasync();
      } catch (error) {
        throw failure(path, 'cannot be written', error);
      }
    },
    expired: async () => {
      const { keepFiles } = options;
      if (keepFiles === undefined) return undefined;
      const full = await listFull(path);
      const files = full.slice(0, Math.max(0, full.length - keepFiles));
      const last = files.at(-1);
      return last === undefined ? undefined : { files, last: await lastOf(last) };
    },
    remove: async (files) => {
      await Promise.all(files.map((full) => rm(full, { force: true })));
    },
    read: (hint = {}) => readAll(path, hint, cursor),
    close: async () => {
      const closing = file;
      file = undefined;
      await closing?.close();
      await unlock();
    },
  };
}

/** All of it, or nothing that stays: a disk that is full takes a part. */
async function writeWhole(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) {
      at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
    }
  } catch (error) {
    await file.truncate(size);
    throw error;
  }
}

/** Where a reader who follows the log goes on. */
interface Cursor {
  /** The file by its number: its name is another's once it is full. */
  file: number | undefined;
  afterSeq: number;
  offset: number;
  number: number;
}

async function* readAll(
  path: string,
  { afterSeq = 0 }: ReadHint,
  cursor: Cursor,
): AsyncGenerator<StoredLine> {
  const full = await listFull(path);
  // A file can be left out where the one after it begins no later than what is asked for.
  const starts = full.map((one) => firstSeqOf(path, one));
  const wanted = full.filter((_, index) => (starts[index + 1] ?? Infinity) > afterSeq + 1);
  const current = await stat(path).catch(() => undefined);
  if (current === undefined && full.length === 0) {
    throw auditFailed(path, 'does not exist; --audit FILE, or the option audit, has one written');
  }
  const goesOn =
    current !== undefined && cursor.file === current.ino && cursor.afterSeq === afterSeq;
  if (!goesOn) for (const one of wanted) yield* readLinesOf(one);
  if (current === undefined) return;
  const from = goesOn && afterSeq > 0 ? { ...cursor } : { offset: 0, number: 1 };
  for await (const { end, ...line } of readLinesOf(path, from)) {
    if (line.torn === undefined) {
      const seq = seqIn(line.line) ?? cursor.afterSeq;
      Object.assign(cursor, {
        file: current.ino,
        afterSeq: seq,
        offset: end,
        number: line.number + 1,
      });
    }
    yield line;
  }
}

function seqIn(line: string): number | undefined {
  const seq = /"seq":(?<seq>\d+)/.exec(line)?.groups?.['seq'];
  return seq === undefined ? undefined : Number(seq);
}

async function firstSeqIn(path: string): Promise<number> {
  for await (const { line } of readLinesOf(path)) return seqIn(line) ?? 1;
  return 1;
}

async function lastOf(full: string): Promise<Head> {
  const bytes = await readFile(full);
  return lastIn(bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes, full);
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** A new name is safe once its directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function failure(path: string, what: string, error: unknown): Error {
  return error instanceof Error && error.name === 'BulkheadError'
    ? error
    : auditFailed(path, what, error);
}
