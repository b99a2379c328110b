import { isRecord } from '../../wire/json.js';
import { copyBytes } from '../bytes.js';
import type { Endowed, Endowment, EndowmentCapabilities } from '../endowment.js';
import { makeStorageClient, type StorageClient } from './client.js';

/** `storage`: the plugin's own files, stored by the host. */
export const storage: Endowment = {
  permission: 'storage',
  globals: ['storage'],
  make: (capabilities): Endowed => {
    const client = makeStorageClient(capabilities);
    return {
      globals: { storage: makeStorage(client, capabilities) },
      revoke: client.revoke,
      restore: () => {
        client.restore();
        return undefined;
      },
    };
  },
  // The members exist without a grant, so that a use names the missing permission.
  withheld: (capabilities): Endowed => storage.make(capabilities),
};

const NAMES = [
  'read',
  'readBytes',
  'write',
  'append',
  'list',
  'stat',
  'mkdir',
  'delete',
  'move',
  'usage',
] as const;

type Storage = Readonly<Record<(typeof NAMES)[number], (...args: unknown[]) => Promise<unknown>>>;

function makeStorage(client: StorageClient, { text }: EndowmentCapabilities): Storage {
  const toText = (bytes: Uint8Array): string =>
    text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';
  const contentOf = (value: unknown): Uint8Array => {
    if (typeof value === 'string') return text.encode(value);
    const bytes = copyBytes(value);
    if (bytes === undefined) throw new TypeError('Storage holds text and bytes, and nothing else');
    return bytes;
  };
  const wants = (options: unknown, name: string): boolean =>
    isRecord(options) && options[name] === true;

  return {
    read: async (path) => toText(await client.read(pathOf(path))),
    readBytes: async (path) => client.read(pathOf(path)),
    write: async (path, content) => client.write(pathOf(path), contentOf(content)),
    append: async (path, content) => client.append(pathOf(path), contentOf(content)),
    list: async (path = '', options) => client.list(pathOf(path), wants(options, 'recursive')),
    stat: async (path) => client.stat(pathOf(path)),
    mkdir: async (path) => client.mkdir(pathOf(path)),
    delete: async (path, options) => client.delete(pathOf(path), wants(options, 'recursive')),
    move: async (path, to) => client.move(pathOf(path), pathOf(to)),
    usage: async () => client.usage(),
  };
}

function pathOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('A path in storage is a string');
}
