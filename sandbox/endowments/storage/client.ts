import { isRecord } from '../../wire/json.js';
import type { StorageArea, StorageEntry, StorageParams } from '../../wire/storage.js';
import type { ByteSource } from '../../wire/streams.js';
import { cloneBytes } from '../bytes.js';
import { withCode, toPluginError } from '../errors.js';
import { makeRevocation } from '../denial.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { collectBytes } from '../collect-bytes.js';
import { makeSemaphore } from '../../wire/semaphore.js';

/**
 * One area of the plugin's storage. Paths are relative to it, and the host checks them. Every
 * result is a copy. Every rejection has a code and is safe for plugin code.
 */
export interface StorageClient {
  read(path: string): Promise<Uint8Array>;
  /** Replaces the file completely or not at all. Creates missing parent directories. */
  write(path: string, content: Uint8Array): Promise<void>;
  append(path: string, content: Uint8Array): Promise<void>;
  /** Sorted by name. `recursive`: all entries below, named by their relative paths. */
  list(path: string, recursive?: boolean): Promise<readonly StorageEntry[]>;
  stat(path: string): Promise<StorageEntry | undefined>;
  mkdir(path: string): Promise<void>;
  /** Whether the path existed. */
  delete(path: string, recursive?: boolean): Promise<boolean>;
  move(path: string, to: string, replace?: boolean): Promise<void>;
  usage(): Promise<StorageUsage>;
  /** All entries of the area; `undefined` if nothing has changed since that generation. */
  copy(since?: number): Promise<StorageCopy | undefined>;
  /** Rejects open and later operations. */
  revoke(): void;
  /** Allows operations again. */
  restore(): void;
}

export interface StorageUsage {
  readonly bytes: number;
  readonly files: number;
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export interface StorageCopy {
  readonly generation: number;
  /** Absent if the host did not send it: large files, and files after many others. */
  readonly entries: readonly (StorageEntry & { readonly content: Uint8Array | undefined })[];
}

export interface StoragePlace {
  readonly area?: StorageArea;
  readonly user?: string;
}

/**
 * The maximum number of concurrent operations. The host treats hundreds of open requests as
 * hostile.
 */
const MAX_OPERATIONS = 32;

export function makeStorageClient(
  capabilities: Pick<EndowmentCapabilities, 'host' | 'plugin' | 'grant' | 'limits' | 'denial'>,
  place: StoragePlace = {},
  /** Called after each change of this client, with the storage's new generation. */
  onChange: (generation: number) => void = () => {},
): StorageClient {
  const { host } = capabilities;
  const semaphore = makeSemaphore({ maxActive: MAX_OPERATIONS });
  let revoked = false;
  let revocations = 0;
  // A read that started before a revocation fails, even if the permission is back by then.
  const demandGrant = (params: Pick<StorageParams, 'op' | 'path'>, since: number): void => {
    if (revoked || since !== revocations)
      throw makeRevocation(capabilities.plugin, 'storage', params.path ?? '');
    if (!capabilities.grant.storage) throw capabilities.denial('storage', `storage.${params.op}`);
  };

  const gatherAll = (answer: unknown, about: string): Promise<Uint8Array> =>
    collectBytes(host.acceptStream(bodyOf(answer)), capabilities.limits.maxBodyBytes, () =>
      tooLarge(about, capabilities.limits.maxBodyBytes),
    );

  const ask = async (
    params: Omit<StorageParams, keyof StoragePlace>,
    content?: Uint8Array,
  ): Promise<unknown> => {
    const about = params.path ?? '';
    const turn = semaphore.enter();
    const since = revocations;
    try {
      await turn.ready;
      demandGrant(params, since);
      const body =
        content === undefined ? {} : { body: host.openStream(sourceOf(cloneBytes(content))) };
      const answer = await host.request('storage', { ...place, ...params, ...body });
      if (isRecord(answer) && answer['done'] !== undefined) onChange(Number(answer['generation']));
      if (params.op !== 'read') return answer;
      const bytes = await gatherAll(answer, about);
      demandGrant(params, since);
      return bytes;
    } catch (error) {
      throw toPluginError(error, 'STORAGE_FAILED', `storage.${params.op} of ${about} failed`);
    } finally {
      turn.leave();
    }
  };
  // Without the time permission, the time of a new file would be a clock.
  const entryOf = (value: unknown): StorageEntry => parseEntry(value, capabilities.grant.time);

  return {
    read: async (path) => {
      const bytes = await ask({ op: 'read', path });
      return bytes instanceof Uint8Array ? bytes : new Uint8Array(0);
    },
    write: async (path, content) => void (await ask({ op: 'write', path }, content)),
    append: async (path, content) => void (await ask({ op: 'append', path }, content)),
    list: async (path, recursive = false) => {
      const answer = await ask({ op: 'list', path, recursive });
      return Array.isArray(answer) ? answer.map(entryOf) : [];
    },
    stat: async (path) => {
      const answer = await ask({ op: 'stat', path });
      return answer === null ? undefined : entryOf(answer);
    },
    mkdir: async (path) => void (await ask({ op: 'mkdir', path })),
    delete: async (path, recursive = false) => isDone(await ask({ op: 'delete', path, recursive })),
    move: async (path, to, replace = true) => void (await ask({ op: 'move', path, to, replace })),
    usage: async () => parseUsage(await ask({ op: 'usage' })),
    copy: async (since) => {
      const answer = await ask({ op: 'copy', ...(since === undefined ? {} : { since }) });
      if (!isRecord(answer) || !Array.isArray(answer['entries'])) return undefined;
      const bytes = await gatherAll(answer, 'a copy of storage');
      return parseCopy(Number(answer['generation']), answer['entries'], bytes, entryOf);
    },
    revoke: () => {
      revoked = true;
      revocations += 1;
    },
    restore: () => {
      revoked = false;
    },
  };
}

export function sourceOf(bytes: Uint8Array): ByteSource {
  let sent = false;
  return {
    pull: async () => {
      if (sent || bytes.length === 0) return undefined;
      sent = true;
      return bytes;
    },
    cancel: () => {
      sent = true;
    },
  };
}

function bodyOf(answer: unknown): number {
  if (isRecord(answer) && typeof answer['body'] === 'number') return answer['body'];
  throw new TypeError('The host answered with something else than a file');
}

function tooLarge(path: string, maxBytes: number): Error {
  const message = `${path} holds more than the ${maxBytes} bytes that are read at once`;
  return withCode(new Error(message), 'STORAGE_LIMIT');
}

function parseEntry(value: unknown, withTime: boolean): StorageEntry {
  const entry = isRecord(value) ? value : {};
  return {
    name: String(entry['name']),
    kind: entry['kind'] === 'directory' ? 'directory' : 'file',
    bytes: Number(entry['bytes']),
    modifiedMs: withTime ? Number(entry['modifiedMs']) : 0,
  };
}

function parseCopy(
  generation: number,
  entries: readonly unknown[],
  bytes: Uint8Array,
  entryOf: (value: unknown) => StorageEntry,
): StorageCopy {
  let at = 0;
  return {
    generation,
    entries: entries.map((value) => {
      const entry = entryOf(value);
      if (!isRecord(value) || value['held'] !== true) return { ...entry, content: undefined };
      const content = cloneBytes(bytes.subarray(at, at + entry.bytes));
      at += entry.bytes;
      return { ...entry, content };
    }),
  };
}

function isDone(answer: unknown): boolean {
  return isRecord(answer) && answer['done'] === true;
}

function parseUsage(value: unknown): StorageUsage {
  const usage = isRecord(value) ? value : {};
  const read = (name: string): number => Number(usage[name]);
  return {
    bytes: read('bytes'),
    files: read('files'),
    maxBytes: read('maxBytes'),
    maxFiles: read('maxFiles'),
  };
}
