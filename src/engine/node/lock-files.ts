import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectoriesSync } from '../../make-directories.js';
import { tryFileMutex } from '../../file-mutex.js';
import { MAX_ARCHIVE_BYTES } from '../../plugin/artifact/archive.js';
import type { PackFiles } from '../../plugin/artifact/artifact.js';
import { replaceFileSync } from '../../replace-file.js';

/** The lock file and its stored plugins. */
export interface LockFiles {
  /** Path of the lock file, for messages. */
  readonly path: string;
  /** Absolute path of the directory that sources are relative to. */
  readonly directory: string;
  /** The lock file's text; `undefined` if there is no file. */
  read(): string | undefined;
  /**
   * Replaces the text with the result of `next`. Other processes cannot change the file at the same
   * time.
   */
  change(next: (text: string | undefined) => string): void;
  /** The stored artifact with this hash and its signature; `undefined` if there is none. Nothing is checked. */
  readArtifact(hash: string): PackFiles | undefined;
  storeArtifact(hash: string, pack: PackFiles): void;
  /** The artifact in a plugin's directory, or the file itself; `undefined` if there is none. */
  readPack(directory: string): PackFiles | undefined;
}

/** The file of a packed plugin, in its directory. */
export const PACK_FILE = 'bulkhead.artifact';

/** The file of the signature, beside the artifact. */
export function envelopeOf(artifactFile: string): string {
  return `${artifactFile}.dsse.json`;
}

const MAX_ENVELOPE_BYTES = 64 * 1024;

/** This package does not write larger lock files. */
const MAX_LOCK_BYTES = 16 * 1024 * 1024;

/** `store` is the directory of stored artifacts. Their names are their hashes. */
export function openLockFiles(path: string, store: string): LockFiles {
  const place = (hash: string): string => {
    const hex = Buffer.from(hash.slice('sha512-'.length), 'base64').toString('hex');
    return join(store, `${hex}.artifact`);
  };
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
      makeDirectoriesSync(dirname(path));
      while (!changeAlone(path, () => next(read()))) pause();
    },
    readArtifact: (hash) => readPackFiles(place(hash)),
    storeArtifact: (hash, { bytes, envelope }) => {
      const file = place(hash);
      const stored = readPackFiles(file);
      if (stored === undefined || Buffer.compare(stored.bytes, bytes) !== 0) {
        replace(file, bytes, 0o600);
      }
      if (envelope !== undefined && stored?.envelope !== envelope) {
        replace(envelopeOf(file), envelope, 0o600);
      }
    },
    readPack: readPackIn,
  };
}

/** The pack in a plugin's directory, or the pack itself if the path names its file. */
export function readPackIn(path: string): PackFiles | undefined {
  return readPackFiles(join(path, PACK_FILE)) ?? readPackFiles(path);
}

/** Reads an artifact and its signature from a file and the one beside it. */
export function readPackFiles(file: string): PackFiles | undefined {
  const bytes = readCapped(file, MAX_ARCHIVE_BYTES);
  if (bytes === undefined) return undefined;
  const envelope = readCapped(envelopeOf(file), MAX_ENVELOPE_BYTES)?.toString('utf8');
  return { bytes, ...(envelope === undefined ? {} : { envelope }) };
}

/** Writes an artifact and its signature. */
export function writePackFiles(file: string, { bytes, envelope }: PackFiles): void {
  // A signature of an earlier artifact is not valid for this one.
  rmSync(envelopeOf(file), { force: true });
  replace(file, bytes, 0o644);
  if (envelope !== undefined) replace(envelopeOf(file), envelope, 0o644);
}

/** The text of the trust file; `undefined` if there is no file. Throws for a file that cannot be read. */
export function readTrustText(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : readFileSync(path, 'utf8');
}

/** Replaces the trust file. */
export function writeTrustText(path: string, text: string): void {
  replace(path, text, 0o600);
}

/** The content of a regular file that is not a link; `undefined` for anything else. */
function readCapped(path: string, maxBytes: number): Buffer | undefined {
  let file: number;
  try {
    file = openSync(
      path,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
    );
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= maxBytes ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** What was accepted has to survive a power failure. */
function replace(path: string, content: string | Uint8Array, mode: 0o600 | 0o644): void {
  replaceFileSync(path, content, { mode, durable: true });
}

/** A change takes milliseconds. After 5 s the process has died or hangs. */
const ABANDONED_MS = 5_000;

/** Returns `false` while another process changes the file. */
function changeAlone(path: string, make: () => string): boolean {
  const mutex = tryFileMutex(`${path}.mutex`, { abandonedAfterMs: ABANDONED_MS });
  if ('heldBy' in mutex) return false;
  try {
    const text = make();
    // A process that was suspended for too long no longer owns the mutex.
    if (!mutex.isHeld()) return false;
    replace(path, text, 0o644);
    return true;
  } finally {
    mutex.release();
  }
}

const PAUSE_MS = 5;

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
