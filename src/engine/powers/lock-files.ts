import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of a lock: its own, and those that it keeps. */
export interface LockFiles {
  /** Of the lock file, for messages. */
  readonly path: string;
  /** Absolute path of the directory that sources are relative to. */
  readonly directory: string;
  /** The lock's text; `undefined` where there is none. */
  read(): string | undefined;
  /** Puts what `next` makes of its text in its place; no other process changes it meanwhile. */
  change(next: (text: string | undefined) => string): void;
  /** What is kept under an address; `undefined` where nothing is. */
  readKept(address: string): string | undefined;
  keep(address: string, text: string): void;
}

/** A lock larger than this was not written by us. */
const MAX_LOCK_BYTES = 16 * 1024 * 1024;

/** `store` holds what is kept: whoever can write there cannot change it, since addresses are hashes. */
export function openLockFiles(path: string, store: string): LockFiles {
  const place = (address: string): string => join(store, `${address}.json`);
  const read = (): string | undefined => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile() || found.size > MAX_LOCK_BYTES) return 'no lock file';
    return readFileSync(path, 'utf8');
  };
  return {
    path,
    directory: dirname(path),
    read,
    change: (next) => {
      mkdirSync(dirname(path), { recursive: true });
      while (!changeAlone(path, () => next(read()))) pause();
    },
    readKept: (address) => {
      try {
        return readFileSync(place(address), 'utf8');
      } catch {
        return undefined;
      }
    },
    keep: (address, text) => {
      if (statSync(place(address), { throwIfNoEntry: false }) !== undefined) {
        if (readFileSync(place(address), 'utf8') === text) return;
      }
      replace(place(address), text, 0o600);
    },
  };
}

/** Whole or not at all, whenever the process ends. */
function replace(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, path);
}

/** A change takes milliseconds: who has taken longer died over it. */
const ABANDONED_MS = 5_000;

/** The draft is what keeps others out: it is made by one alone, and gone when it is in its place. */
function changeAlone(path: string, make: () => string): boolean {
  const draft = `${path}.draft`;
  const file = openAlone(draft);
  if (file === undefined) return false;
  try {
    writeFileSync(file, make());
    // Whoever took it for abandoned has one of its own there.
    if (statSync(draft, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino) return false;
    renameSync(draft, path);
    return true;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function openAlone(draft: string): number | undefined {
  try {
    return openSync(draft, 'wx', 0o644);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const there = statSync(draft, { throwIfNoEntry: false });
  // Of a time to come it is as little of now: a clock that was set back is to keep nobody out either.
  if (there !== undefined && Math.abs(Date.now() - there.mtimeMs) > ABANDONED_MS)
    rmSync(draft, { force: true });
  return undefined;
}

const PAUSE_MS = 5;

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
