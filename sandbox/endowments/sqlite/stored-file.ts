import { joinBytes } from '../bytes.js';
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

  constructor(host: HostDatabase, state: DatabaseState) {
    this.#host = host;
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

  /** Raises the lock. Throws `EBUSY` if another guest writes, or wrote since this one read. */
  lock(level: number): void {
    if (this.#lock === NONE && level >= SHARED) this.#refresh();
    if (level >= RESERVED && this.#token === undefined) {
      this.#token = this.#host.reserve(this.#state.stamp);
    }
    this.#lock = Math.max(this.#lock, level);
  }

  unlock(level: number): void {
    this.#lock = Math.min(this.#lock, level);
    if (level > SHARED) return;
    this.#isUndone = false;
    if (this.#changed.size > 0 || this.#size !== this.#state.bytes) this.#forget();
    const token = this.#token;
    this.#token = undefined;
    if (token !== undefined) this.#host.release(token);
  }

  /** Hands all changes to the host. If that fails, the file is as it was. */
  commit(): void {
    if (this.#isUndone) return;
    if (this.#changed.size === 0 && this.#size === this.#state.bytes) return;
    try {
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
    } catch (error) {
      this.#forget();
      this.#isUndone = true;
      throw error;
    }
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
    const bytes = this.#host.read(this.#state.stamp, start, length);
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const number = index + at / BLOCK_BYTES;
      if (this.#blocks.has(number)) continue;
      const block = new Uint8Array(BLOCK_BYTES);
      block.set(bytes.subarray(at, at + BLOCK_BYTES));
      this.#blocks.set(number, block);
    }
    return this.#blocks.get(index) ?? new Uint8Array(BLOCK_BYTES);
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
