import { copyBytes } from '../../endowments/bytes.js';
import type { StorageClient } from '../../endowments/storage/client.js';
import type { DialectWorld } from '../dialect.js';
import { readJsonText } from './json-text.js';
import type { Mutations } from './mutations.js';
import { strict } from './strict.js';
import { nothingThere, pathOf, toStorageError } from './storage-errors.js';

type Method = (...args: unknown[]) => Promise<unknown>;

/** Which area a call means; `place` is how many arguments come before the user's id. */
type AreaOf = (args: readonly unknown[], place: number) => StorageClient;

/** `spindle.storage`: files of the extension's own (Spindle storage). */
export function makeStorage(world: DialectWorld, mutations: Mutations): object {
  const area = world.storage({ area: 'data' });
  return makeFiles('spindle.storage', world, mutations, () => area);
}

/** `spindle.storage` and `spindle.userStorage`, which differ in whose files they are. */
export function makeFiles(
  name: string,
  world: DialectWorld,
  mutations: Mutations,
  areaOf: AreaOf,
): object {
  const { text } = world.powers;
  const decode = (bytes: Uint8Array): string =>
    text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';

  const read = async (area: StorageClient, path: unknown): Promise<Uint8Array> =>
    area.read(pathOf(path)).catch(toStorageError);
  const write = async (area: StorageClient, path: unknown, bytes: Uint8Array): Promise<void> =>
    area.write(pathOf(path), bytes).catch(toStorageError);
  const writing =
    (member: string, run: Method): Method =>
    async (...args) => {
      mutations.allow(`${name}.${member}`);
      await run(...args);
      return undefined;
    };

  return strict(name, {
    read: async (...args: unknown[]) => decode(await read(areaOf(args, 1), args[0])),
    readBinary: async (...args: unknown[]) => read(areaOf(args, 1), args[0]),
    write: writing('write', (...args) =>
      write(areaOf(args, 2), args[0], text.encode(String(args[1]))),
    ),
    writeBinary: writing('writeBinary', async (...args) =>
      write(areaOf(args, 2), args[0], bytesOf(args[1], `${name}.writeBinary`)),
    ),
    delete: writing('delete', async (...args) => {
      const there = await areaOf(args, 1).delete(pathOf(args[0]), true).catch(toStorageError);
      if (!there) throw new Error('File not found');
    }),
    list: async (...args: unknown[]) => {
      const prefix = args[0] === undefined ? '' : pathOf(args[0]);
      const entries = await areaOf(args, 1).list(prefix, true).catch(nothingThere);
      return entries.filter(({ kind }) => kind === 'file').map((entry) => entry.name);
    },
    exists: async (...args: unknown[]) =>
      (await areaOf(args, 1).stat(pathOf(args[0])).catch(toStorageError)) !== undefined,
    mkdir: writing('mkdir', async (...args) =>
      areaOf(args, 1).mkdir(pathOf(args[0])).catch(toStorageError),
    ),
    move: writing('move', async (...args) =>
      areaOf(args, 2).move(pathOf(args[0]), pathOf(args[1])).catch(toStorageError),
    ),
    stat: async (...args: unknown[]) => {
      const entry = await areaOf(args, 1).stat(pathOf(args[0])).catch(toStorageError);
      return {
        exists: entry !== undefined,
        isFile: entry?.kind === 'file',
        isDirectory: entry?.kind === 'directory',
        sizeBytes: entry?.kind === 'file' ? entry.bytes : 0,
        modifiedAt: new world.powers.feralDate(entry?.modifiedMs ?? 0).toISOString(),
      };
    },
    getJson: async (path: unknown, options?: unknown) => {
      const area = areaOf([userIdIn(options)], 0);
      return readJsonText(async () => decode(await read(area, path)), path, options);
    },
    setJson: writing('setJson', async (path, value, options) =>
      write(
        areaOf([userIdIn(options)], 0),
        path,
        text.encode(JSON.stringify(JSON.parse(world.serialize(value)), null, indentOf(options))),
      ),
    ),
  });
}

function bytesOf(value: unknown, at: string): Uint8Array {
  const bytes = copyBytes(value);
  if (bytes === undefined) throw new TypeError(`${at} takes bytes, as a Uint8Array`);
  return bytes;
}

function userIdIn(options: unknown): unknown {
  return typeof options === 'object' && options !== null
    ? Reflect.get(options, 'userId')
    : undefined;
}

function indentOf(options: unknown): number {
  const indent: unknown =
    typeof options === 'object' && options !== null ? Reflect.get(options, 'indent') : undefined;
  return typeof indent === 'number' ? indent : 2;
}
