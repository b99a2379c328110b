import type { StorageClient } from '../../endowments/storage/client.js';
import type { DialectWorld } from '../dialect.js';
import type { Mutations } from './permissions.js';
import { nothingThere, OWNER, type Scope, toStorageError } from './storage.js';
import { strict } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/**
 * `spindle.enclave`: short values by name for each user, separate from the files (Spindle enclave).
 * The host's storage of this extension contains them, encrypted with the operator's key.
 */
export function makeEnclave(world: DialectWorld, mutations: Mutations, scope: Scope): object {
  const { text } = world.powers;
  const decode = (bytes: Uint8Array): string =>
    text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';
  const areaOf = (userId: unknown): StorageClient => {
    const user = scope.userOf(userId);
    return user === OWNER
      ? world.storage({ area: 'enclave' })
      : world.storage({ area: 'user', user: `enclave of ${user}` });
  };

  return strict('spindle.enclave', {
    put: async (key: unknown, value: unknown, userId?: unknown): Promise<void> => {
      mutations.allow('spindle.enclave.put');
      const bytes = text.encode(demandValue(value));
      await areaOf(userId).write(demandKey(key), bytes).catch(toStorageError);
    },
    get: async (key: unknown, userId?: unknown): Promise<string | null> => {
      const area = areaOf(userId);
      const name = demandKey(key);
      if ((await area.stat(name).catch(toStorageError)) === undefined) return null;
      return decode(await area.read(name).catch(toStorageError));
    },
    delete: async (key: unknown, userId?: unknown): Promise<boolean> => {
      mutations.allow('spindle.enclave.delete');
      return areaOf(userId).delete(demandKey(key)).catch(toStorageError);
    },
    has: async (key: unknown, userId?: unknown): Promise<boolean> =>
      (await areaOf(userId).stat(demandKey(key)).catch(toStorageError)) !== undefined,
    list: async (userId?: unknown): Promise<string[]> => {
      const entries = await areaOf(userId).list('').catch(nothingThere);
      return entries.map(({ name }) => name);
    },
  });
}

const KEY = /^(?!\.{1,2}$)[a-zA-Z0-9_\-.]{1,128}$/;

function demandKey(key: unknown): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new Error('An enclave key is of 1 to 128 letters, digits, "_", "-" and "."');
}

function demandValue(value: unknown): string {
  if (typeof value !== 'string') throw new Error('An enclave value is a string');
  if (value.length > SPINDLE_LIMITS.maxEnclaveCharacters)
    throw new Error('An enclave value has at most 64 KiB');
  // oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)) {
    throw new Error('An enclave value is printable text');
  }
  return value;
}
