import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { makeDirectoriesSync } from '../make-directories.js';
import { BulkheadError, systemCode, messageOf } from '../errors.js';
import { replaceFileSync, syncDirectorySync, writeNewFile } from '../replace-file.js';
import {
  type PublicKey,
  parsePublicKeys,
  parseSigningKey,
  type SigningKey,
} from './signing-key.js';
import { shellWord } from '../visible.js';

/** Larger files are not key files. */
const MAX_KEY_BYTES = 256 * 1024;

/**
 * Reads a secret file: a private key or a token. Throws `INVALID_KEY` if the file is missing, is not a
 * regular file, or can be read by other users (on systems with modes).
 */
export function readSecretFile(path: string): string {
  return readRegular(path, true);
}

/** Reads a private Ed25519 key. Throws as `readSecretFile`, and for another kind of key. */
export function readSigningKey(path: string): SigningKey {
  return parseSigningKey(readSecretFile(path), path);
}

/** Reads a file of public keys: the current key first, then retired ones. Throws `INVALID_KEY`. */
export function readPublicKeys(path: string): readonly PublicKey[] {
  return parsePublicKeys(readRegular(path, false), path);
}

function isPublicPem(text: string): boolean {
  return text.includes('-----BEGIN PUBLIC KEY-----') && !text.includes('PRIVATE KEY-----');
}

function privateFileOf(path: string): string {
  return `${path.replace(/\.pub$/, '')}.pem`;
}

/** The file of the public keys that belongs to a private key's file. */
export function publicFileOf(path: string): string {
  return `${path.replace(/\.(?:pem|key)$/, '')}.pub`;
}

/**
 * Creates a file with a mode (default: 0600), and its directories with 0700. Throws `INVALID_KEY` if the file
 * exists: a key is never overwritten by accident.
 */
export function createKeyFile(path: string, text: string, mode: 0o600 | 0o644 = 0o600): void {
  makeDirectoriesSync(dirname(path), 0o700);
  try {
    writeNewFile(path, text, mode, true);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    throw unusable(path, 'the file exists', 'choose another file, or use `bulkhead keys rotate`');
  }
  syncDirectorySync(dirname(path));
}

/** Whether there is a file, a link or a directory at the path. */
export function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function removeKeyFile(path: string): void {
  rmSync(path, { force: true });
}

/** Replaces a file in one step: a reader sees the old text or the new one. */
export function replaceKeyFile(path: string, text: string, mode: 0o600 | 0o644): void {
  replaceFileSync(path, text, { mode, directoryMode: 0o700, durable: true });
}

/**
 * Throws `INVALID_KEY` if the key's file is in the directory that the key protects: a program that
 * can write to the directory could then replace the key too.
 */
export function requireKeyOutside(path: string, directory: string): void {
  const inside = relative(realPathOf(directory), realPathOf(path));
  // guard: key-outside-protected-directory
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return;
  throw unusable(
    path,
    `the file is in ${directory}, which the key protects`,
    'move it to a directory outside',
  );
}

/** The path without links. Parts that do not exist stay as they are. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : resolve(realPathOf(parent), relative(parent, absolute));
  }
}

function readRegular(path: string, isSecret: boolean): string {
  let file: number;
  try {
    // A FIFO without a writer would block.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const why = systemCode(error) === 'ENOENT' ? 'the file does not exist' : messageOf(error);
    throw unusable(path, why, 'check the path, or create a key with `bulkhead keys new`');
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.size > MAX_KEY_BYTES) {
      throw unusable(path, 'it is not a regular file of at most 256 kB', 'check the path');
    }
    const text = readFileSync(file, 'utf8');
    // A public key has another mode, and the mode is not what is wrong with it.
    if (isSecret && isPublicPem(text)) {
      throw unusable(
        path,
        'it is a public key',
        `name the private key, usually ${privateFileOf(path)}`,
      );
    }
    // guard: key-file-mode-checked
    if (isSecret && process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      const mode = (found.mode & 0o777).toString(8);
      throw unusable(
        path,
        `its mode ${mode} lets other users use it`,
        `run chmod 600 ${shellWord(path)}`,
      );
    }
    return text;
  } finally {
    closeSync(file);
  }
}

function unusable(path: string, why: string, edit: string): BulkheadError<'INVALID_KEY'> {
  return new BulkheadError(
    'INVALID_KEY',
    `The key file ${path} was not used: ${why}. To fix this, ${edit}.`,
    {
      file: path,
    },
  );
}
