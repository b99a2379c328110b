import { hkdfSync, randomBytes } from 'node:crypto';
import { type EnclaveCipher, makeEnclaveCipher } from '../../brokers/storage/enclave-cipher.js';
import { BulkheadError } from '../../errors.js';
import { createKeyFile, isTaken, readSecretFile, requireKeyOutside } from '../../keys/key-file.js';

const KEY_BYTES = 32;

/**
 * The cipher of enclaves, with the keys of a file: one key of 32 bytes in base64 on each line. The
 * first encrypts; all decrypt. If the file does not exist, it is created with a new key, which the
 * operator has to back up. Throws `INVALID_KEY` if other users can read the file, or if it is in the
 * directory that it protects.
 */
export function openEnclaveCipher(file: string, storageDirectory: string): EnclaveCipher {
  return makeEnclaveCipher(readKeys(file, storageDirectory));
}

/** The key that authenticates the logs of programs: derived from the first key of the file. Throws as above. */
export function programLogKey(file: string, storageDirectory: string): Buffer {
  const [first = Buffer.alloc(0)] = readKeys(file, storageDirectory);
  return Buffer.from(hkdfSync('sha256', first, '', 'bulkhead program logs', KEY_BYTES));
}

/** Whether the key file exists. What is only read needs no new key, which would read nothing. */
export function hasProgramLogKey(file: string): boolean {
  return isTaken(file);
}

function readKeys(file: string, storageDirectory: string): Buffer[] {
  requireKeyOutside(file, storageDirectory);
  if (!isTaken(file)) create(file);
  const keys = readSecretFile(file)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Buffer.from(line, 'base64'));
  if (keys.length === 0 || keys.some(({ length }) => length !== KEY_BYTES)) {
    throw new BulkheadError(
      'INVALID_KEY',
      `${file} cannot be used: each line takes a key of ${KEY_BYTES} bytes in base64. Create one with \`openssl rand -base64 ${KEY_BYTES}\`.`,
      { file },
    );
  }
  return keys;
}

function create(file: string): void {
  try {
    createKeyFile(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
  } catch (error) {
    // Another process was faster.
    if (!isTaken(file)) throw error;
  }
}
