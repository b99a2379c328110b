import { isRecord } from '../../../sandbox/wire/json.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { makeSemaphore, type Semaphore } from '../../../sandbox/wire/semaphore.js';
import type { StorageChanged, StorageEntry } from '../../../sandbox/wire/storage.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import { contentOf } from '../file-content.js';
import {
  type Attribution,
  type OpenFields,
  openRecord,
  type OpenRecord,
  type StorageRecord,
} from '../record.js';
import type { ChangeEnd, FileMaker, WrittenFiles } from '../written-files.js';
import { arriving, inTime } from './arriving.js';
import { appendFile, deletePath, makeDirectory, movePath, writeFile } from './changes.js';
import { makeCopies, type StorageCopy } from './copies.js';
import type { DatabaseState } from './databases.js';
import { isDatabaseOp, recordsOf, runDatabaseStep } from './database-steps.js';
import type { Usage } from './directory.js';
import type { EnclaveCipher } from './enclave-cipher.js';
import { listPath, type OpenFile, openFile, statPath } from './reading.js';
import { ENCLAVE_USER, noteChange } from './note-change.js';
import { makeRefusals } from './refusals.js';
import { parseDatabaseRequest, parseRequest, type StorageRequest } from './request.js';
import type { Store } from './store.js';
import type { AreaContext } from './walk.js';

export interface StorageBrokerSpec {
  readonly plugin: PluginIdentity;
  /** The plugin's store. All brokers of one plugin share it. */
  readonly store: Store;
  /** Encrypts the values of enclaves. Called for the first value. Default: values are not encrypted. */
  readonly cipher?: (() => EnclaveCipher) | undefined;
  /** Notes the files that calls write. Default: they are not noted. */
  readonly written?: WrittenFiles | undefined;
  readonly onEvent?: (record: StorageRecord) => void;
}

/** Stores files for one plugin, in its own directory. */
export interface StorageBroker {
  /**
   * Runs one operation. `params` come from a guest (`StorageParams`) and are parsed here. `body` is
   * the content to write; it is cancelled if it is not used. If the signal aborts or the permission
   * is revoked meanwhile, a change is complete or has no effect.
   *
   * Rejects with `STORAGE_DENIED`, `STORAGE_FAILED`, `STORAGE_LIMIT`, `CANCELLED` by the signal, or
   * `PERMISSION_REVOKED` after `close`.
   */
  run(
    params: unknown,
    body: ByteSource | undefined,
    signal: AbortSignal,
    attribution?: Attribution,
    maker?: FileMaker,
  ): Promise<StorageAnswer>;
  /** Refuses open and later operations. */
  close(): void;
}

/** `content` of a read and `copy.content` of a copy: the caller reads it to its end or cancels it. */
export type StorageAnswer =
  | { readonly content: ByteSource; readonly bytes: number }
  | { readonly copy: StorageCopy }
  | {
      readonly value:
        | StorageEntry
        | readonly StorageEntry[]
        | UsageAnswer
        | StorageChanged
        | DatabaseState
        | { readonly token: string }
        | null;
    };

interface UsageAnswer extends Usage {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** One admitted operation. */
interface Operation {
  readonly body: ByteSource | undefined;
  /** Aborts if the caller cancels or the permission is revoked. */
  readonly ended: AbortSignal;
  /** The error for that. */
  readonly stopped: () => BulkheadError | undefined;
  readonly record: OpenRecord<StorageRecord>;
  readonly lists: Semaphore;
  readonly commits: Semaphore;
  /** Notes a change, and returns the function that ends it. */
  readonly note: (context: AreaContext, request: StorageRequest) => (end: ChangeEnd) => void;
}

export function makeStorageBroker({
  plugin,
  store,
  cipher,
  written,
  onEvent,
}: StorageBrokerSpec): StorageBroker {
  const { limits } = store;
  const { maxActive, maxLists, maxQueued } = limits;
  const refusals = makeRefusals(plugin.id, limits);
  const semaphore = makeSemaphore({ maxActive, maxQueued, full: refusals.queueFull });
  const lists = makeSemaphore({ maxActive: maxLists, maxQueued, full: refusals.queueFull });
  const commits = makeSemaphore({ maxActive: 1, maxQueued, full: refusals.queueFull });
  const copies = makeCopies(limits, refusals);
  // One signal for each operation: a shared signal would retain every listener, and so all written
  // content.
  const open = new Set<AbortController>();
  let closed = false;

  const read = (
    { handle, bytes }: OpenFile,
    { ended, stopped, record }: Operation,
    release: () => void,
  ): StorageAnswer => {
    const end = (error?: unknown): void => {
      ended.removeEventListener('abort', stop);
      record.close(error === undefined ? 'allowed' : 'failed', error);
      handle.close().catch(() => {});
      release();
    };
    const stop = (): void => end(stopped());
    ended.addEventListener('abort', stop, { once: true });
    const content = contentOf(handle, {
      bytes,
      maxBytes: limits.maxFileBytes,
      tooLong: () => refusals.limit('maxFileBytes', 'one of its files is too long'),
      stopped,
      onBytes: (count) => {
        record.fields.bytesRead += count;
      },
      explain: (error) => (isBulkheadError(error) ? error : refusals.failed('', 'EIO', error)),
      end,
    });
    return { content, bytes };
  };

  return {
    run: async (params, body, signal, attribution, maker) => {
      const record = openRecord<OpenFields<StorageRecord>>(
        {
          ...attribution,
          plugin: plugin.id,
          what: describeParams(params),
          bytesRead: 0,
          bytesWritten: 0,
        },
        recordsOf(params, onEvent),
      );
      const controller = new AbortController();
      const ended = controller.signal;
      const cancel = (): void => controller.abort();
      open.add(controller);
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted || closed) cancel();
      const finish = (): void => {
        open.delete(controller);
        signal.removeEventListener('abort', cancel);
      };
      const stopped = (): BulkheadError | undefined => {
        if (closed) return refusals.revoked();
        return signal.aborted ? refusals.cancelled() : undefined;
      };
      let release = finish;
      try {
        const early = stopped();
        if (early !== undefined) throw early;
        const request = parseRequest(params, limits, refusals);
        const leave = await semaphore.acquire(ended);
        release = () => {
          finish();
          leave();
        };
        const note: Operation['note'] = (at, asked) =>
          noteChange(written, plugin.id, maker, at, asked);
        const operation: Operation = { body, ended, stopped, record, lists, commits, note };
        const context: AreaContext = { store, refusals, area: request.area, user: request.user };
        const place = placeInEnclave(plugin.id, request);
        if (request.op === 'read') {
          const answer = read(await openFile(context, request.path), operation, release);
          if (place === undefined || cipher === undefined || !('content' in answer)) return answer;
          const value = cipher().open(await collectContent(answer.content), place);
          return { content: sourceOf(value), bytes: value.length };
        }
        const answer = isDatabaseOp(request.op)
          ? await onDatabase(context, parseDatabaseRequest(params, request, refusals), operation)
          : request.op === 'copy'
            ? { copy: await copies.make(context, request.since, ended, record) }
            : await change(
                context,
                request,
                place === undefined || cipher === undefined || request.op !== 'write'
                  ? operation
                  : await sealed(operation, cipher(), place),
              );
        const late = stopped();
        if (late !== undefined) {
          if ('copy' in answer) answer.copy.content?.cancel('not wanted');
          throw late;
        }
        release();
        record.close('allowed');
        return answer;
      } catch (error) {
        release();
        body?.cancel('not wanted');
        const explained =
          stopped() ?? (isBulkheadError(error) ? error : refusals.failed('', 'EIO', error));
        record.close(DENIALS.has(explained.code) ? 'denied' : 'failed', explained);
        throw explained;
      }
    },
    close: () => {
      closed = true;
      // guard: storage-ends-on-revocation
      for (const controller of open) controller.abort();
    },
  };
}

/** Binds a value of an enclave to its plugin, user and name. `undefined` for other files. */
function placeInEnclave(plugin: string, { area, user, path }: StorageRequest): string | undefined {
  const isUsers = area === 'user' && user.startsWith(ENCLAVE_USER);
  if (area !== 'enclave' && !isUsers) return undefined;
  return JSON.stringify([plugin, area === 'enclave' ? '' : user, path]);
}

async function collectContent(content: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const chunk = await content.pull();
    if (chunk === undefined) return Buffer.concat(chunks);
    chunks.push(chunk);
  }
}

function sourceOf(bytes: Uint8Array): ByteSource {
  const left = bytes.length === 0 ? [] : [bytes];
  return {
    pull: async () => left.shift(),
    cancel: () => {
      left.length = 0;
    },
  };
}

/** The operation with the encrypted content. Values are small, so they are gathered. */
async function sealed(
  operation: Operation,
  cipher: EnclaveCipher,
  place: string,
): Promise<Operation> {
  const { body, ended, stopped } = operation;
  if (body === undefined) return operation;
  const next = arriving(body, ended, stopped);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await next();
    if (chunk === undefined) break;
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_SEALED_BYTES) {
      // The cap of the area refuses it.
      return { ...operation, body: sourceOf(Buffer.concat(chunks)) };
    }
  }
  return { ...operation, body: sourceOf(cipher.seal(Buffer.concat(chunks), place)) };
}

/** Far above the cap of a value. */
const MAX_SEALED_BYTES = 1024 * 1024;

const DENIALS: ReadonlySet<string> = new Set(['STORAGE_DENIED', 'PERMISSION_REVOKED']);

async function change(
  context: AreaContext,
  request: StorageRequest,
  operation: Operation,
): Promise<StorageAnswer> {
  const { op, path, recursive } = request;
  if (op === 'list') {
    // guard: storage-list-concurrency-cap
    const release = await operation.lists.acquire(operation.ended);
    return listPath(context, path, recursive)
      .then((value) => ({ value }))
      .finally(release);
  }
  if (op === 'stat') return { value: await statPath(context, path) };
  return { value: await changeExclusively(context, request, operation) };
}

/** One step on a database. */
async function onDatabase(
  context: AreaContext,
  request: ReturnType<typeof parseDatabaseRequest>,
  { body, ended, stopped, record, commits, note }: Operation,
): Promise<StorageAnswer> {
  const content = body === undefined ? undefined : arriving(body, ended, stopped);
  const answer = await runDatabaseStep(context, request, {
    content,
    ended,
    stopped,
    commits,
    note: () => note(context, request),
  });
  if ('content' in answer) {
    record.fields.bytesRead = answer.content.length;
    return { content: sourceOf(answer.content), bytes: answer.content.length };
  }
  record.fields.bytesWritten = answer.written ?? 0;
  return { value: answer.value };
}

interface Performed {
  readonly done: boolean;
  readonly existed?: boolean;
  readonly stamp?: string;
}

function changeExclusively(
  context: AreaContext,
  request: StorageRequest,
  { body, ended, stopped, record, note }: Operation,
): Promise<StorageChanged | UsageAnswer> {
  const { op, path, to, recursive, replace, maxFileBytes } = request;
  const { store, refusals } = context;
  const perform = async (usage: Usage): Promise<Performed> => {
    switch (op) {
      case 'write':
      case 'append': {
        if (body === undefined) throw refusals.malformed('comes without its content');
        const write = op === 'write' ? writeFile : appendFile;
        const content = arriving(body, ended, stopped);
        const { bytes, existed, stamp } = await inTime(context, content, (timely) =>
          write(context, path, usage, { maxBytes: maxFileBytes, content: timely }),
        );
        record.fields.bytesWritten = bytes;
        return { done: true, existed, stamp };
      }
      case 'mkdir':
        await makeDirectory(context, path, usage);
        return { done: true };
      case 'delete':
        return { done: await deletePath(context, path, usage, recursive) };
      default:
        await movePath(context, path, to, usage, replace);
        return { done: true };
    }
  };
  if (op === 'usage') {
    const { maxBytes, maxFiles } = store.limits;
    return store.reading((usage) => Promise.resolve({ ...usage, maxBytes, maxFiles }));
  }
  return store.exclusively(async (usage) => {
    const late = stopped();
    if (late !== undefined) throw late;
    const end = note(context, request);
    try {
      const { done, existed = false, stamp = '' } = await perform(usage);
      end({ bytes: record.fields.bytesWritten, existed, stamp });
      return changed(store, done);
    } catch (error) {
      end(undefined);
      throw error;
    }
  });
}

function changed(store: Store, done: boolean): StorageChanged {
  store.generation += 1;
  return { done, generation: store.generation };
}

/** The guest's own params for the record, cut. */
function describeParams(params: unknown): string {
  const given = isRecord(params) ? params : {};
  const [op, area, path, to] = ['op', 'area', 'path', 'to'].map((key) =>
    typeof given[key] === 'string' ? given[key].slice(0, 200) : '',
  );
  const place = area === '' || area === 'data' ? path : `${area}:${path}`;
  return JSON.stringify(`${op} ${place}${to === '' ? '' : ` to ${to}`}`).slice(1, -1);
}
