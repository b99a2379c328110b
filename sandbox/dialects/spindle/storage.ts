import type { Json } from '../../wire/messages.js';
import { isRecord } from '../../wire/json.js';
import { copyBytes } from '../../endowments/bytes.js';
import type { StorageClient } from '../../endowments/storage/client.js';
import type { DialectWorld } from '../dialect.js';
import type { Mutations } from './permissions.js';
import { strict } from './strict.js';

/**
 * The user of an extension. If it is installed for one user (the default), every request is for
 * that user, and a named user is ignored. If it is installed for all (`installScope: "operator"` in
 * the operator's configuration), each request must name its user.
 */
export interface Scope {
  /** The user of a request, as the name of a storage area. Throws if a required name is missing. */
  userOf(userId: unknown): string;
}

export function readScope(config: Json): Scope {
  const forAll = isRecord(config) && config['installScope'] === 'operator';
  return {
    userOf: (userId) => {
      if (!forAll) return OWNER;
      if (typeof userId === 'string' && userId !== '') return `user:${userId}`;
      throw new Error('userId is required for operator-scoped extensions');
    },
  };
}

/** The user of an extension that is installed for one user. */
export const OWNER = 'owner';

type Method = (...args: unknown[]) => Promise<unknown>;

/** Finds the area of a call. `place` is the number of arguments before the user's id. */
type AreaOf = (args: readonly unknown[], place: number) => StorageClient;

/** `spindle.storage`: the extension's own files (Spindle storage). */
export function makeStorage(world: DialectWorld, mutations: Mutations): object {
  const area = world.storage({ area: 'data' });
  return makeFiles('spindle.storage', world, mutations, () => area);
}

/** Builds `spindle.storage` and `spindle.userStorage`, which differ only in their area. */
function makeFiles(
  name: string,
  world: DialectWorld,
  mutations: Mutations,
  areaOf: AreaOf,
): object {
  const { text } = world.powers;
  const decode = (bytes: Uint8Array): string =>
    text.decoder('utf-8', { fatal: false, ignoreBOM: false })?.decode(bytes, false) ?? '';

  /** What a file takes. Any other value is refused in the words of the original. */
  const dataOf = (value: unknown): Uint8Array => {
    const bytes = typeof value === 'string' ? text.encode(value) : copyBytes(value);
    if (bytes === undefined) throw new TypeError(NO_DATA);
    return bytes;
  };
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
    write: writing('write', (...args) => write(areaOf(args, 2), args[0], dataOf(args[1]))),
    writeBinary: writing('writeBinary', async (...args) =>
      write(areaOf(args, 2), args[0], bytesOf(args[1], `${name}.writeBinary`)),
    ),
    delete: writing('delete', async (...args) => {
      await areaOf(args, 1).delete(pathOf(args[0]), true).catch(nothingThere);
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
        dataOf(
          isAbsentInJson(value)
            ? undefined
            : JSON.stringify(
                JSON.parse(world.serialize(value, { subject: 'The value of setJson' })),
                null,
                indentOf(options),
              ),
        ),
      ),
    ),
  });
}

const NO_DATA =
  'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView';

/** Whether JSON has no text for a value. */
function isAbsentInJson(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
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

/** `spindle.userStorage`: separate files for each user (Spindle storage, Per-user). */
export function makeUserStorage(world: DialectWorld, mutations: Mutations, scope: Scope): object {
  const areas = new Map<string, StorageClient>();
  const areaOf = (userId: unknown): StorageClient => {
    const user = scope.userOf(userId);
    const area = areas.get(user) ?? world.storage({ area: 'user', user });
    // Caches one client for each user, up to `MAX_USERS`. Other users get a new client each time.
    if (areas.size < MAX_USERS) areas.set(user, area);
    return area;
  };
  return makeFiles('spindle.userStorage', world, mutations, (args, place) => areaOf(args[place]));
}

const MAX_USERS = 1_000;

/** A path for storage. Only its type is checked here. The host checks its content. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError('A path in storage is a string');
}

/** Rejects with the messages that extensions expect. A missing file is "File not found". */
export function toStorageError(error: unknown): never {
  const message = error instanceof Error ? error.message : 'The storage failed';
  if (isMissing(message)) throw new Error('File not found');
  throw error instanceof Error ? error : new Error(message);
}

/** The listing of a folder that does not exist. */
export function nothingThere(error: unknown): [] {
  if (error instanceof Error && isMissing(error.message)) return [];
  throw toStorageError(error);
}

function isMissing(message: string): boolean {
  return /^(?:ENOENT|ENOTDIR):/.test(message);
}

/** Parses JSON from a file. On failure returns the option `fallback`, even `undefined`. */
async function readJsonText(
  read: () => Promise<string>,
  path: unknown,
  options: unknown,
): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(await read());
    return value;
  } catch {
    if (typeof options === 'object' && options !== null && 'fallback' in options) {
      return options.fallback;
    }
    throw new Error(`Failed to parse JSON from ${String(path)}`);
  }
}
