import { isRecord } from '../../wire/json.js';
import type { Json } from '../../wire/messages.js';
import { makeSemaphore } from '../../wire/semaphore.js';
import type { ChangeFileParams, StatFileParams } from '../../wire/storage.js';
import { sourceOf } from '../storage/client.js';
import { toPluginError } from '../errors.js';
import { collectBytes } from '../collect-bytes.js';
import { cloneBytes, ownBytes } from '../bytes.js';
import type { EndowmentCapabilities } from '../endowment.js';
import type { FileEntry } from './tree.js';

type Change = Omit<ChangeFileParams, 'body'>;

/** Files of the host, by requests to its filesystem broker, which checks each path. */
export interface HostFiles {
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileEntry | undefined>;
  list(path: string): Promise<readonly FileEntry[]>;
  /** Changes a file in a writable mount. Answers whether anything was there. */
  change(change: Change, content?: Uint8Array): Promise<boolean>;
}

/** The same for synchronous code. The guest blocks until the host has answered. */
export interface HostFilesNow {
  read(path: string): Uint8Array;
  stat(path: string): FileEntry | undefined;
  list(path: string): readonly FileEntry[];
  change(change: Change, content?: Uint8Array): boolean;
}

const MAX_READS = 32;

export function makeHostFiles(capabilities: EndowmentCapabilities): HostFiles {
  const { host, limits } = capabilities;
  const semaphore = makeSemaphore({ maxActive: MAX_READS });
  const ask = async <Answer>(path: string, work: () => Promise<Answer>): Promise<Answer> => {
    const turn = semaphore.enter();
    try {
      await turn.ready;
      return await work();
    } catch (error) {
      throw toPluginError(error, 'FILESYSTEM_FAILED', `${path} cannot be used.`);
    } finally {
      turn.leave();
    }
  };
  const look = (op: StatFileParams['op'], path: string): Promise<unknown> =>
    ask(path, () => host.request('statFile', { op, path, orMissing: true }));
  return {
    read: (path) =>
      ask(path, async () => {
        const answer = await host.request('readFile', { path, orMissing: true });
        const body = isRecord(answer) ? answer['body'] : undefined;
        if (typeof body !== 'number') throw new TypeError('The host answered with no file');
        const tooLarge = (): Error => new TypeError('The file is too large');
        return collectBytes(host.acceptStream(body), limits.maxBodyBytes, tooLarge);
      }),
    stat: async (path) => entryOf(await look('stat', path), capabilities),
    list: async (path) => entriesOf(await look('list', path), capabilities),
    change: (change, content) =>
      ask(change.path, async () => {
        const body =
          content === undefined ? {} : { body: host.openStream(sourceOf(cloneBytes(content))) };
        return isDone(await host.request('changeFile', { ...change, ...body }));
      }),
  };
}

export function makeHostFilesNow(capabilities: EndowmentCapabilities): HostFilesNow {
  const { host } = capabilities;
  const ask = (method: string, path: string, params: Json, body?: Uint8Array) => {
    try {
      return host.requestNow(method, params, body);
    } catch (error) {
      throw toPluginError(error, 'FILESYSTEM_FAILED', `${path} cannot be used.`);
    }
  };
  return {
    read: (path) => ownBytes(ask('readFile', path, { path, orMissing: true }).body),
    stat: (path) =>
      entryOf(ask('statFile', path, { op: 'stat', path, orMissing: true }).value, capabilities),
    list: (path) =>
      entriesOf(ask('statFile', path, { op: 'list', path, orMissing: true }).value, capabilities),
    change: (change, content) => {
      const body = content === undefined ? {} : { body: 1 };
      return isDone(ask('changeFile', change.path, { ...change, ...body }, content).value);
    },
  };
}

function entryOf(value: unknown, { grant }: EndowmentCapabilities): FileEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { name, kind, bytes, modifiedMs } = value;
  return {
    name: String(name),
    kind: kind === 'directory' ? 'directory' : 'file',
    bytes: Number(bytes),
    // The time of a file that was just written would be a clock.
    modifiedMs: grant.time ? Number(modifiedMs) : 0,
  };
}

function entriesOf(answer: unknown, capabilities: EndowmentCapabilities): readonly FileEntry[] {
  const entries: readonly unknown[] = Array.isArray(answer) ? answer : [];
  return entries.flatMap((entry) => entryOf(entry, capabilities) ?? []);
}

function isDone(answer: unknown): boolean {
  return isRecord(answer) && answer['done'] === true;
}
