import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnclaveCipher } from '../../brokers/storage/enclave-cipher.js';
import { systemCode } from '../../errors.js';
import type { LoginStore } from '../../remotes/mcp/oauth.js';
import { replaceFile } from '../../replace-file.js';
import { openEnclaveCipher } from './enclave-keys.js';

/**
 * Stores the logins at remote servers in the directory `.oauth` of the engine's storage, encrypted with the
 * key of the enclaves, which is outside it. The name of a file does not tell the server.
 */
export function openLoginFiles(storageDirectory: string, keyFile: string): LoginStore {
  const fileOf = (id: string): string =>
    join(storageDirectory, '.oauth', createHash('sha256').update(id).digest('hex').slice(0, 32));
  let opened: EnclaveCipher | undefined;
  // The key file is created at the first use.
  const cipher = (): EnclaveCipher => (opened ??= openEnclaveCipher(keyFile, storageDirectory));
  return {
    read: (id) => {
      let sealed: Buffer;
      try {
        sealed = readFileSync(fileOf(id));
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw error;
      }
      const text = cipher().open(sealed, placeOf(id));
      // The cipher returns what is not encrypted as it is.
      // guard: login-encrypted
      return text.equals(sealed) ? undefined : text.toString('utf8');
    },
    write: async (id, text) => {
      if (text === undefined) return rm(fileOf(id), { force: true });
      const sealed = cipher().seal(Buffer.from(text), placeOf(id));
      return replaceFile(fileOf(id), sealed, { mode: 0o600, directoryMode: 0o700, durable: true });
    },
  };
}

function placeOf(id: string): string {
  return `oauth ${id}`;
}
