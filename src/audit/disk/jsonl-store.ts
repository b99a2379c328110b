import { type FileHandle, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { makeDirectories } from '../../make-directories.js';
import { syncDirectory } from '../../replace-file.js';
import { START, type Sealed } from '../chain.js';
import { AUDIT_LIMITS, type Head } from '../record.js';
import { lockLog, type AuditStore, type ReadHint, type StoredLine, auditFailed } from '../store.js';
import { type Tail, headIn, lastIn, mendTail, readLinesOf } from './lines.js';
import { brokenName, olderName, renameOlder } from './own-file.js';
import { systemCode } from '../../errors.js';

export interface JsonlOptions {
  /** The size at which the log starts another file. Default: 16 MiB. */
  readonly maxFileBytes?: number;
  /** Full files that the log retains; it deletes older ones. Default: all. */
  readonly keepFiles?: number;
}

/** Stores a log as lines of JSON in append-only files. */
export function makeJsonlStore(path: string, options: JsonlOptions = {}): AuditStore {
  const maxFileBytes = options.maxFileBytes ?? AUDIT_LIMITS.maxFileBytes;
  let file: FileHandle | undefined;
  let unlock = (): void => {};
  let size = 0;
  let firstSeq = 1;
  const encode = makeEncoder();
  const cursor: Cursor = { file: undefined, afterSeq: 0, offset: 0, number: 1 };

  const openFile = async (): Promise<FileHandle> => {
    file = await open(path, 'a+', 0o600);
    return file;
  };

  /** The last record of the full files. */
  const headOfFull = async (): Promise<Head | 'older' | 'unsound'> => {
    const last = (await listFull(path)).at(-1);
    return last === undefined ? START : lastOf(last);
  };

  /** Removes a torn write. Not in append mode, because that mode ignores the write position. */
  const mend = async (): Promise<Tail | 'older' | 'unsound'> => {
    await (await open(path, 'a+', 0o600)).close();
    const mending = await open(path, 'r+');
    return mendTail(mending).finally(() => mending.close());
  };

  /** Renames the log and its full files. Returns its new name. */
  const renameLog = async (next: string): Promise<string> => {
    const full = (await listFull(path)).map(
      (one) => [one, fullName(next, firstSeqOf(path, one))] as const,
    );
    await renameOlder(path, [...full, [path, next]]);
    return basename(next);
  };

  const rotate = async (current: FileHandle): Promise<FileHandle> => {
    // Each step may fail and is then retried. `file` stays the current file until the next one is open.
    await current.datasync();
    await rename(path, fullName(path, firstSeq)).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
    });
    const next = await openFile();
    size = 0;
    await current.close();
    await syncDirectory(dirname(path));
    return next;
  };

  return {
    name: path,
    open: async () => {
      try {
        await makeDirectories(dirname(path));
        unlock = await lockLog(path);
        let tail = await mend();
        let head =
          typeof tail === 'string' || tail.head === undefined ? await headOfFull() : tail.head;
        let older: string | undefined;
        if (tail === 'older' || head === 'older') {
          older = await renameLog(olderName(path));
          tail = { size: 0, head: undefined, torn: undefined };
          head = START;
        }
        if (tail === 'unsound' || head === 'unsound') {
          await openFile();
          return { head: START, torn: undefined, unsound: true };
        }
        size = tail.size;
        firstSeq = tail.head === undefined ? head.seq + 1 : await firstSeqIn(path);
        await openFile();
        return { head, torn: tail.torn, ...(older === undefined ? {} : { older }) };
      } catch (error) {
        unlock();
        throw failure(path, 'cannot be opened', error);
      }
    },
    startSegment: async () => {
      try {
        const name = await renameLog(brokenName(path, Date.now()));
        await file?.close();
        size = 0;
        firstSeq = 1;
        await openFile();
        return name;
      } catch (error) {
        throw failure(path, 'cannot begin a new segment', error);
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
      return last === undefined ? undefined : { files, last: headIn(await readFile(last), last) };
    },
    remove: async (files) => {
      await Promise.all(files.map((full) => rm(full, { force: true })));
    },
    read: (hint = {}) => readAll(path, hint, cursor),
    close: async () => {
      const closing = file;
      file = undefined;
      await closing?.close();
      unlock();
    },
  };
}

/** Writes all bytes, or none: a full disk may accept only a part. */
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

/** The position at which the next read continues. */
interface Cursor {
  /** The file's inode: a full file gets another name. */
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
  // A file can be skipped if the next file starts at or before the requested record.
  const starts = full.map((one) => firstSeqOf(path, one));
  const wanted = full.filter((_, index) => (starts[index + 1] ?? Infinity) > afterSeq + 1);
  const current = await stat(path).catch(() => undefined);
  if (current === undefined && full.length === 0) {
    throw auditFailed(path, 'does not exist. Write one with --audit FILE or the option audit');
  }
  const continues =
    current !== undefined && cursor.file === current.ino && cursor.afterSeq === afterSeq;
  if (!continues) for (const one of wanted) yield* readLinesOf(one);
  if (current === undefined) return;
  const from = continues && afterSeq > 0 ? { ...cursor } : { offset: 0, number: 1 };
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

async function lastOf(full: string): Promise<Head | 'older' | 'unsound'> {
  return lastIn(await readFile(full));
}

function failure(path: string, what: string, error: unknown): Error {
  return error instanceof Error && error.name === 'BulkheadError'
    ? error
    : auditFailed(path, what, error);
}

/**
 * A log is the current file and the full files before it. The name of a full file has its first
 * record's number, so that sorting by name gives the order:
 *
 * ```
 * audit.000000000001.jsonl   audit.000000051201.jsonl   audit.jsonl
 * ```
 */
async function listFull(path: string): Promise<string[]> {
  const { stem, extension } = partsOf(path);
  const names = await readdir(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => seqInName(name, stem, extension) !== undefined)
    .toSorted()
    .map((name) => join(dirname(path), name));
}

function fullName(path: string, firstSeq: number): string {
  const { stem, extension } = partsOf(path);
  return join(dirname(path), `${stem}.${String(firstSeq).padStart(SEQ_DIGITS, '0')}${extension}`);
}

/** The first record of a full file, from its name. */
function firstSeqOf(path: string, full: string): number {
  const { stem, extension } = partsOf(path);
  return seqInName(basename(full), stem, extension) ?? 0;
}

const SEQ_DIGITS = 12;

function partsOf(path: string): { readonly stem: string; readonly extension: string } {
  const extension = extname(path);
  return { stem: basename(path, extension), extension };
}

function seqInName(name: string, stem: string, extension: string): number | undefined {
  if (!name.startsWith(`${stem}.`) || !name.endsWith(extension)) return undefined;
  const digits = name.slice(stem.length + 1, name.length - extension.length);
  return digits.length === SEQ_DIGITS && /^\d+$/.test(digits) ? Number(digits) : undefined;
}

/** The encoder does not reuse a larger buffer. */
const MAX_REUSED_BYTES = 4 * 1024 * 1024;

/** UTF-8 bytes of one UTF-16 code unit: a character of four bytes is two code units. */
const MAX_CHARACTER_BYTES = 3;

const NEWLINE = 0x0a;

/**
 * Encodes records as lines. Reuses one buffer, because allocating it costs more than filling it: the
 * caller must write the bytes before the next call.
 */
function makeEncoder(): (records: readonly Sealed[]) => Buffer {
  let reused = Buffer.alloc(0);
  return (records) => {
    let most = 0;
    for (const { line } of records) most += line.length * MAX_CHARACTER_BYTES + 1;
    const bytes = most <= reused.length ? reused : Buffer.allocUnsafeSlow(most);
    if (bytes.length <= MAX_REUSED_BYTES) reused = bytes;
    let end = 0;
    for (const { line } of records) {
      end += bytes.write(line, end);
      bytes[end] = NEWLINE;
      end += 1;
    }
    return bytes.subarray(0, end);
  };
}
