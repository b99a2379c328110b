import { setTimeout } from 'node:timers/promises';
import { tryFileMutex } from '../file-mutex.js';
import { BulkheadError } from '../errors.js';
import type { Sealed } from './chain.js';
import type { Head } from './record.js';

/** Stores the lines of a log in order. It does not interpret them. */
export interface AuditStore {
  /** For messages: a path. */
  readonly name: string;
  /** Locks the log for this process and removes a torn write. Throws `AUDIT_FAILED`. */
  open(): Promise<Opened>;
  /**
   * Renames an open log that is not intact, and begins an empty one in its place. Resolves with the new
   * name of the old one. Without this function an engine does not continue such a log.
   */
  startSegment?(): Promise<string>;
  /**
   * Appends all records or none. `durable`: resolves when these and all earlier records are on the
   * disk. Throws `AUDIT_FAILED`; the caller may then append the same records again.
   */
  append(records: readonly Sealed[], durable: boolean): Promise<void>;
  /** The files to delete by `keepFiles`. The log records the deletion, then calls `remove`. */
  expired(): Promise<Expired | undefined>;
  remove(files: readonly string[]): Promise<void>;
  /** All lines in order. With a hint the store may skip lines before it. */
  read(hint?: ReadHint): AsyncIterable<StoredLine>;
  close(): Promise<void>;
}

export interface Opened {
  readonly head: Head;
  /** The last record is not valid. `head` is then that of an empty log. */
  readonly unsound?: true;
  /** The new name of a log of format version 1; absent if there was none. */
  readonly older?: string;
  readonly torn: { readonly bytes: number; readonly sha256: string } | undefined;
  /** The last checkpoint, if `read` does not return all records. */
  readonly lastCheckpoint?: number;
}

/** Files of which every record is older than the log keeps. */
export interface Expired {
  readonly files: readonly string[];
  /** The last record in the files. */
  readonly last: Head;
}

export interface ReadHint {
  /** The store may skip records up to this one. */
  readonly afterSeq?: number;
}

export interface StoredLine {
  readonly line: string;
  /** The file, and the number of the line in it, from 1. */
  readonly file: string;
  readonly number: number;
  /** The line does not end: a process is writing it, or died while it wrote it. */
  readonly torn?: true;
}

export function auditFailed(path: string, what: string, cause?: unknown): BulkheadError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new BulkheadError(
    'AUDIT_FAILED',
    `The audit log ${path} ${what}${why}.`,
    { path },
    cause === undefined ? {} : { cause },
  );
}

/** The message about a log of format version 1. */
export const OLDER =
  'is of format version 1, and this version of Bulkhead reads version 2. Read it with the version that wrote it';

/** How long a process waits for another process, such as a short command, to release a log. */
const WAIT_MS = 5_000;
const POLL_MS = 50;

/**
 * Locks a log for writing, because two writers would break the chain. Resolves with the function that
 * releases the lock. Throws `AUDIT_FAILED` if another process still has the lock after `waitMs` (5 s).
 */
export async function lockLog(path: string, waitMs: number = WAIT_MS): Promise<() => void> {
  for (let waited = 0; ; waited += POLL_MS) {
    const mutex = takeMutex(`${path}.lock`);
    if (!('heldBy' in mutex)) return () => mutex.release();
    if (waited >= waitMs) {
      throw auditFailed(
        path,
        `is in use by process ${mutex.heldBy}. Choose another file: each engine needs its own log`,
      );
    }
    await setTimeout(POLL_MS);
  }
}

function takeMutex(path: string): ReturnType<typeof tryFileMutex> {
  try {
    return tryFileMutex(path);
  } catch (error) {
    throw auditFailed(path, 'cannot be locked', error);
  }
}
