import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files of a lock: its own, and those that it keeps. */
export interface LockFiles {
  /** Of the lock file, for messages. */
  readonly path: string;
  /** Absolute path of the directory that sources are relative to. */
  readonly directory: string;
  /** The lock's text; `undefined` where there is none. */
  read(): string | undefined;
  write(text: string): void;
  /** What is kept under an address; `undefined` where nothing is. */
  readKept(address: string): string | undefined;
  keep(address: string, text: string): void;
}

/** A lock larger than this was not written by us. */
const MAX_LOCK_BYTES = 16 * 1024 * 1024;

/** `store` holds what is kept: whoever can write there cannot change it, since addresses are hashes. */
export function openLockFiles(path: string, store: string): LockFiles {
  const place = (address: string): string => join(store, `${address}.json`);
  return {
    path,
    directory: dirname(path),
    read: () => {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      if (!found.isFile() || found.size > MAX_LOCK_BYTES) return 'no lock file';
      return readFileSync(path, 'utf8');
    },
    write: (text) => replace(path, text, 0o644),
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
