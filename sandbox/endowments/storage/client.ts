import { isRecord } from '../../wire/parse.js';
import type { StorageArea, StorageEntry, StorageParams } from '../../wire/storage.js';
import type { ByteSource } from '../../wire/streams.js';
import { cloneBytes } from '../bytes.js';
import { withCode } from '../coded-error.js';
import { makeRevocation } from '../denial.js';
import type { EndowmentPowers } from '../endowment.js';
import { toPluginError } from '../from-host.js';
import { gather } from '../gather.js';
import { makeTurnstile } from '../turnstile.js';

/**
 * One area of the plugin's storage. Paths are relative to it; the host checks them. Everything that
 * it gives is a copy, and every rejection an error with a code that plugin code may have.
 */
export interface StorageClient {
  read(path: string): Promise<Uint8Array>;
  /** Replaces the whole file, at once or not at all, and makes the directories on the way. */
  write(path: string, content: Uint8Array): Promise<void>;
  append(path: string, content: Uint8Array): Promise<void>;
  /** Sorted by name. `recursive`: everything below, each named by its path from here. */
  list(path: string, recursive?: boolean): Promise<readonly StorageEntry[]>;
  stat(path: string): Promise<StorageEntry | undefined>;
  mkdir(path: string): Promise<void>;
  /** Whether anything was there. */
  delete(path: string, recursive?: boolean): Promise<boolean>;
  move(path: string, to: string, replace?: boolean): Promise<void>;
  usage(): Promise<StorageUsage>;
  /** Everything in the area; `undefined` where nothing has changed since that generation. */
  copy(since?: number): Promise<StorageCopy | undefined>;
  /** From here on everything rejects, and so does what is under way. */
  revoke(): void;
  /** Takes operations again. */
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
  /** The content is absent where the host did not send it along: large files, and those after many. */
  readonly entries: readonly (StorageEntry & { readonly content: Uint8Array | undefined })[];
}

export interface StoragePlace {
  readonly area?: StorageArea;
  readonly user?: string;
}

/** Operations at a time: a host takes a guest that asks for hundreds of things at once for hostile. */
const MAX_OPERATIONS = 32;

export function makeStorageClient(
  powers: Pick<EndowmentPowers, 'host' | 'plugin' | 'grant' | 'limits' | 'denial'>,
  place: StoragePlace = {},
  /** Told after each change that this client made, with the storage's new generation. */
  onChange: (generation: number) => void = () => {},
): StorageClient {
  const { host } = powers;
  const turnstile = makeTurnstile(MAX_OPERATIONS);
  let revoked = false;
  let revocations = 0;
  // What began before a revocation ends with it, although the permission may be back by then.
  const demandGrant = (params: Pick<StorageParams, 'op' | 'path'>, since: number): void => {
    if (revoked || since !== revocations)
      throw makeRevocation(powers.plugin, 'storage', params.path ?? '');
    if (!powers.grant.storage) throw powers.denial('storage', `storage.${params.op}`);
  };

  const gatherAll = (answer: unknown, about: string): Promise<Uint8Array> =>
    gather(host.acceptStream(bodyOf(answer)), powers.limits.maxBodyBytes, () =>
      tooLarge(about, powers.limits.maxBodyBytes),
    );

  const ask = async (
    params: Omit<StorageParams, keyof StoragePlace>,
    content?: Uint8Array,
  ): Promise<unknown> => {
    const about = params.path ?? '';
    const turn = turnstile.enter();
    const since = revocations;
    try {
      await turn.come;
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
  // Without the permission to tell the time, a file that was just written would tell it.
  const entryOf = (value: unknown): StorageEntry => parseEntry(value, powers.grant.time);

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

function sourceOf(bytes: Uint8Array): ByteSource {
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

function parseEntry(value: unknown, tellTime: boolean): StorageEntry {
  const entry = isRecord(value) ? value : {};
  return {
    name: String(entry['name']),
    kind: entry['kind'] === 'directory' ? 'directory' : 'file',
    bytes: Number(entry['bytes']),
    modifiedMs: tellTime ? Number(entry['modifiedMs']) : 0,
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
