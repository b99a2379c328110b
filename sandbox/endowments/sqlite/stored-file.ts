import { joinBytes } from '../bytes.js';
import { withCode } from '../errors.js';
import type { DatabaseState, HostDatabase } from './host-database.js';

/** SQLite reads and writes a file in parts. */
export interface SqliteFile {
  /** Fills the target. Answers whether the file had all of it: the rest is zero. */
  read(offset: number, target: Uint8Array): boolean;
  write(offset: number, content: Uint8Array): void;
  truncate(size: number): void;
  readonly size: number;
}

/** Bytes that are fetched and changed together. */
const BLOCK_BYTES = 4096;
/** Blocks of one request. */
const READ_AHEAD = 64;
/** Unchanged blocks in memory: SQLite has a cache of its own. */
const MAX_CLEAN = 1024;

/** In SQLite's header: the page size, the count of transactions, and the size in pages. */
const HEADER_BYTES = 100;
const PAGE_SIZE_AT = 16;
const COUNTER_AT = 24;
const PAGES_AT = 28;
/** A page size of 65536 bytes does not fit into its two bytes. */
const LARGEST_PAGE = 65_536;

/** How often a read is tried that a commit of another guest interrupts. */
const MAX_TRIES = 5;

/** SQLite's locks. */
const NONE = 0;
const SHARED = 1;
const RESERVED = 2;

/**
 * A database file of the host. Changes stay in this guest until the transaction ends; then the host
 * gets all of them at once, so that a guest that dies leaves the state before.
 */
export class StoredFile implements SqliteFile {
  readonly #host: HostDatabase;
  readonly #blocks = new Map<number, Uint8Array>();
  readonly #changed = new Set<number>();
  #state: DatabaseState;
  #size: number;
  /** Bytes of the host's file that are still valid. */
  #kept: number;
  #token: string | undefined;
  #lock = NONE;
  /** A commit failed. SQLite undoes its changes, which are gone already. */
  #isUndone = false;
  /** SQLite's count of transactions in the host's file, if it has been read. Each commit changes it. */
  #counter: number | undefined;
  /** Equal for equal files, whatever their names in SQL are. */
  readonly key: string;

  constructor(host: HostDatabase, key: string, state: DatabaseState) {
    this.#host = host;
    this.key = key;
    this.#state = state;
    this.#size = state.bytes;
    this.#kept = state.bytes;
  }

  get size(): number {
    return this.#size;
  }

  get isReserved(): boolean {
    return this.#token !== undefined;
  }

  read(offset: number, target: Uint8Array): boolean {
    for (let tries = 1; ; tries += 1) {
      try {
        return this.#fill(offset, target);
      } catch (error) {
        // Without a lock, as when a database is opened, each state is right.
        if (this.#lock !== NONE || !isStale(error) || tries === MAX_TRIES) throw error;
        this.#refresh();
      }
    }
  }

  #fill(offset: number, target: Uint8Array): boolean {
    const end = Math.max(offset, Math.min(offset + target.length, this.#size));
    for (let at = offset; at < end;) {
      const block = this.#block(Math.floor(at / BLOCK_BYTES));
      const start = at % BLOCK_BYTES;
      const part = block.subarray(start, Math.min(BLOCK_BYTES, start + end - at));
      target.set(part, at - offset);
      at += part.length;
    }
    target.fill(0, end - offset);
    return end - offset === target.length;
  }

  write(offset: number, content: Uint8Array): void {
    if (this.#isUndone) return;
    this.#demandTurn();
    for (let at = 0; at < content.length;) {
      const index = Math.floor((offset + at) / BLOCK_BYTES);
      const start = (offset + at) % BLOCK_BYTES;
      const part = content.subarray(at, at + BLOCK_BYTES - start);
      const block = part.length === BLOCK_BYTES ? new Uint8Array(BLOCK_BYTES) : this.#block(index);
      block.set(part, start);
      this.#blocks.set(index, block);
      this.#changed.add(index);
      at += part.length;
    }
    this.#size = Math.max(this.#size, offset + content.length);
  }

  truncate(size: number): void {
    if (this.#isUndone || size >= this.#size) return;
    this.#demandTurn();
    const last = Math.ceil(size / BLOCK_BYTES);
    for (const index of this.#blocks.keys()) {
      if (index < last) continue;
      this.#blocks.delete(index);
      this.#changed.delete(index);
    }
    if (size % BLOCK_BYTES > 0) this.#block(last - 1).fill(0, size % BLOCK_BYTES);
    this.#size = size;
    this.#kept = Math.min(this.#kept, size);
  }

  /** Raises the lock. Throws `EBUSY` if another guest writes, or a stale error if it wrote since this one read. */
  lock(level: number): void {
    if (this.#lock === NONE && level >= SHARED) this.#refresh();
    if (level >= RESERVED && this.#token === undefined) this.#token = this.#reserve();
    this.#lock = Math.max(this.#lock, level);
  }

  #reserve(): string {
    try {
      return this.#host.reserve(this.#state.stamp);
    } catch (error) {
      const isOvertaken = isBusy(error) && this.#host.state().stamp !== this.#state.stamp;
      throw isOvertaken ? staleError() : error;
    }
  }

  /** SQLite writes with the lock, except under `nolock=1`: then no unlock would end a failed commit. */
  #demandTurn(): void {
    // guard: database-write-in-turn
    if (this.#token === undefined) {
      const why = 'a database in the storage needs its lock to be written. Remove nolock=1';
      throw withCode(new Error(why), 'STORAGE_FAILED');
    }
  }

  unlock(level: number): void {
    this.#lock = Math.min(this.#lock, level);
    if (level > SHARED) return;
    this.#isUndone = false;
    if (this.#changed.size > 0 || this.#size !== this.#state.bytes) this.#forget();
    const token = this.#token;
    this.#token = undefined;
    if (token === undefined) return;
    try {
      this.#host.release(token);
    } catch {
      // The turn ends by itself.
    }
  }

  /**
   * Hands all changes to the host, when SQLite synchronises the file: at the end of a commit, and of a
   * rollback, which needs no host. If it fails, the file is as it was, and SQLite has to roll back. For
   * `EBUSY` it throws a stale error: SQLite may try a busy commit again, and its changes are gone.
   */
  commit(): void {
    if (this.#isUndone) return;
    if (this.#changed.size === 0 && this.#size === this.#state.bytes) return;
    if (this.#isRolledBack()) return this.#forget();
    try {
      this.#shrink();
      const { runs, content } = this.#gather();
      this.#state = this.#host.commit({
        stamp: this.#state.stamp,
        token: this.#token ?? '',
        size: this.#size,
        kept: this.#kept,
        runs,
        content,
      });
      this.#token = undefined;
      this.#kept = this.#size;
      this.#changed.clear();
      this.#counter = this.#header()?.getUint32(COUNTER_AT);
    } catch (error) {
      this.#forget();
      this.#isUndone = true;
      // guard: failed-commit-is-rolled-back
      throw isBusy(error) ? staleError() : error;
    }
  }

  /** Whether SQLite has undone its changes: a commit counts itself in the header. */
  #isRolledBack(): boolean {
    if (this.#token === undefined || this.#counter === undefined) return false;
    return this.#header()?.getUint32(COUNTER_AT) === this.#counter;
  }

  /** Cuts the pages that the database does not use any more. SQLite cuts them only after the commit. */
  #shrink(): void {
    const header = this.#header();
    if (header === undefined) return;
    const pageSize = header.getUint16(PAGE_SIZE_AT);
    const size = header.getUint32(PAGES_AT) * (pageSize === 1 ? LARGEST_PAGE : pageSize);
    if (size > 0) this.truncate(size);
  }

  #header(): DataView | undefined {
    if (this.#size < HEADER_BYTES) return undefined;
    const { buffer, byteOffset } = this.#block(0);
    return new DataView(buffer, byteOffset, HEADER_BYTES);
  }

  #forget(): void {
    this.#blocks.clear();
    this.#changed.clear();
    this.#size = this.#state.bytes;
    this.#kept = this.#state.bytes;
  }

  /** Another guest may have changed the file since. */
  #refresh(): void {
    const state = this.#host.state();
    if (state.stamp === this.#state.stamp) return;
    this.#state = state;
    this.#counter = undefined;
    this.#forget();
  }

  #block(index: number): Uint8Array {
    const known = this.#blocks.get(index);
    if (known !== undefined) return known;
    const start = index * BLOCK_BYTES;
    if (start >= this.#kept) {
      const empty = new Uint8Array(BLOCK_BYTES);
      this.#blocks.set(index, empty);
      return empty;
    }
    this.#makeRoom();
    const length = Math.min(READ_AHEAD * BLOCK_BYTES, this.#kept - start);
    const bytes = this.#fetch(start, length);
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const number = index + at / BLOCK_BYTES;
      if (this.#blocks.has(number)) continue;
      const block = new Uint8Array(BLOCK_BYTES);
      block.set(bytes.subarray(at, at + BLOCK_BYTES));
      this.#blocks.set(number, block);
      if (number === 0) this.#counter = new DataView(block.buffer).getUint32(COUNTER_AT);
    }
    return this.#blocks.get(index) ?? new Uint8Array(BLOCK_BYTES);
  }

  /** Throws a stale error if the host has another state by now. */
  #fetch(start: number, length: number): Uint8Array {
    const { stamp } = this.#state;
    for (let tries = 1; ; tries += 1) {
      try {
        return this.#host.read(stamp, start, length);
      } catch (error) {
        if (!isBusy(error)) throw error;
        // This waits for a commit that is under way, which perhaps fails.
        if (this.#host.state().stamp !== stamp) throw staleError();
        if (tries === MAX_TRIES) throw error;
      }
    }
  }

  #makeRoom(): void {
    if (this.#blocks.size - this.#changed.size < MAX_CLEAN) return;
    for (const index of this.#blocks.keys()) {
      if (!this.#changed.has(index)) this.#blocks.delete(index);
    }
  }

  #gather(): { runs: [number, number][]; content: Uint8Array } {
    const runs: [number, number][] = [];
    const parts: Uint8Array[] = [];
    for (const index of [...this.#changed].toSorted((a, b) => a - b)) {
      const start = index * BLOCK_BYTES;
      const part = this.#block(index).subarray(0, Math.min(BLOCK_BYTES, this.#size - start));
      const last = runs.at(-1);
      if (last !== undefined && last[0] + last[1] === start) last[1] += part.length;
      else runs.push([start, part.length]);
      parts.push(part);
    }
    return { runs, content: joinBytes(parts) };
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('EBUSY:');
}

/** The error for a transaction that can only be rolled back. */
function staleError(): Error {
  const why = 'another guest changed the database since this transaction began';
  return withCode(new Error(`${why}. Roll back and begin again`), STALE);
}

/** Whether another guest changed the database since this transaction began. */
export function isStale(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === STALE;
}

const STALE = 'SQLITE_BUSY_SNAPSHOT';

/** A journal or a temporary file: it needs no disk, because a transaction reaches the host at its end. */
export class MemoryFile implements SqliteFile {
  #content = new Uint8Array(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  read(offset: number, target: Uint8Array): boolean {
    const part = this.#content.subarray(Math.min(offset, this.#size), this.#size);
    const known = part.subarray(0, target.length);
    target.set(known);
    target.fill(0, known.length);
    return known.length === target.length;
  }

  write(offset: number, content: Uint8Array): void {
    const end = offset + content.length;
    if (end > this.#content.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.#content.length));
      larger.set(this.#content.subarray(0, this.#size));
      this.#content = larger;
    }
    this.#content.set(content, offset);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number): void {
    if (size >= this.#size) return;
    this.#content.fill(0, size, this.#size);
    this.#size = size;
  }
}
