import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import type { StorageChanged, StorageEntry } from '../../../sandbox/wire/storage.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import type { Attribution } from '../attribution.js';
import { contentOf } from '../filesystem/content.js';
import { makeTurnstile, type Turnstile } from '../turnstile.js';
import { untilAborted } from '../until-aborted.js';
import { deletePath, makeDirectory, movePath } from './changing.js';
import { type LentCopy, makeCopies } from './copies.js';
import { type OpenFile, listPath, openFile, statPath } from './reading.js';
import { parseRequest, type StorageRequest } from './params.js';
import { openRecord, type OpenRecord, type StorageRecord } from './record.js';
import { makeRefusals } from './refusals.js';
import type { Store } from './store.js';
import { makeUnderWay } from './under-way.js';
import type { Usage } from './usage.js';
import type { Ground } from './walk.js';
import { appendFile, type Content, writeFile } from './writing.js';

export interface StorageBrokerSpec {
  readonly plugin: PluginIdentity;
  /** The plugin's, which its other brokers share. */
  readonly store: Store;
  readonly onEvent?: (record: StorageRecord) => void;
}

/** Keeps files for one plugin, in a directory that is that plugin's alone. */
export interface StorageBroker {
  /**
   * Runs one operation. `params` are a guest's, as in `StorageParams`, and are parsed here; `body` is
   * the content that goes with them, and is cancelled where it is not wanted. What was begun when
   * the signal aborts, or the permission is taken away, is not done, or done whole.
   *
   * Rejects with `STORAGE_DENIED`, `STORAGE_FAILED`, `STORAGE_LIMIT`, `CANCELLED` by the signal, or
   * `PERMISSION_REVOKED` after `close`.
   */
  run(
    params: unknown,
    body: ByteSource | undefined,
    signal: AbortSignal,
    behalf?: Attribution,
  ): Promise<StorageAnswer>;
  /** From here on everything is refused, also what is under way. */
  close(): void;
}

/** `content` only of a read or a copy: the caller pulls it or cancels it. */
export type StorageAnswer =
  | { readonly content: ByteSource; readonly bytes: number }
  | { readonly copy: LentCopy }
  | {
      readonly value: StorageEntry | readonly StorageEntry[] | UsageAnswer | StorageChanged | null;
    };

interface UsageAnswer extends Usage {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

export function makeStorageBroker({ plugin, store, onEvent }: StorageBrokerSpec): StorageBroker {
  const { limits } = store;
  const refusals = makeRefusals(plugin.id, limits);
  const turnstile = makeTurnstile({
    maxActive: limits.maxActive,
    maxWaiting: limits.maxWaiting,
    full: () => refusals.limit('maxWaiting', 'too many of its operations wait already'),
  });
  const copies = makeCopies(limits, refusals);
  const lists = makeTurnstile({
    maxActive: limits.maxLists,
    maxWaiting: limits.maxWaiting,
    full: () => refusals.limit('maxWaiting', 'too many of its operations wait already'),
  });
  const underWay = makeUnderWay();

  const read = (
    { handle, bytes }: OpenFile,
    ended: AbortSignal,
    stopped: () => BulkheadError | undefined,
    record: OpenRecord,
    leave: () => void,
  ): StorageAnswer => {
    const end = (error?: unknown): void => {
      ended.removeEventListener('abort', stop);
      record.close(error === undefined ? 'allowed' : 'failed', error);
      handle.close().catch(() => {});
      leave();
    };
    const stop = (): void => end(stopped());
    ended.addEventListener('abort', stop, { once: true });
    const content = contentOf(handle, {
      bytes,
      maxBytes: limits.maxFileBytes,
      tooLong: () => refusals.limit('maxFileBytes', 'a file of it is too long'),
      stopped,
      onBytes: (count) => {
        record.bytesRead += count;
      },
      explain: (error) => (isBulkheadError(error) ? error : refusals.failed('', 'EIO', error)),
      end,
    });
    return { content, bytes };
  };

  return {
    run: async (params, body, signal, behalf) => {
      const record = openRecord(plugin.id, nameOf(params), onEvent ?? (() => {}), behalf);
      const { ended, over } = underWay.begin(signal);
      const stopped = (): BulkheadError | undefined => {
        if (underWay.ended) return refusals.revoked();
        return signal.aborted ? refusals.cancelled() : undefined;
      };
      let leave = over;
      try {
        const early = stopped();
        if (early !== undefined) throw early;
        const request = parseRequest(params, limits, refusals);
        const giveBack = await turnstile.enter(ended);
        leave = () => {
          over();
          giveBack();
        };
        const ground: Ground = { store, refusals, area: request.area, user: request.user };
        if (request.op === 'read') {
          return read(await openFile(ground, request.path), ended, stopped, record, leave);
        }
        const answer =
          request.op === 'copy'
            ? { copy: await copies.make(ground, request.since, ended, record) }
            : await change(ground, request, { body, ended, stopped, record, lists });
        const late = stopped();
        if (late !== undefined) {
          if ('copy' in answer) answer.copy.content?.cancel('not wanted');
          throw late;
        }
        leave();
        record.close('allowed');
        return answer;
      } catch (error) {
        leave();
        body?.cancel('not wanted');
        const explained =
          stopped() ?? (isBulkheadError(error) ? error : refusals.failed('', 'EIO', error));
        record.close(DENIALS.has(explained.code) ? 'denied' : 'failed', explained);
        throw explained;
      }
    },
    close: underWay.endAll,
  };
}

const DENIALS: ReadonlySet<string> = new Set(['STORAGE_DENIED', 'PERMISSION_REVOKED']);

interface ChangeSpec {
  readonly body: ByteSource | undefined;
  readonly ended: AbortSignal;
  readonly stopped: () => BulkheadError | undefined;
  readonly record: OpenRecord;
  readonly lists: Turnstile;
}

async function change(
  ground: Ground,
  request: StorageRequest,
  spec: ChangeSpec,
): Promise<StorageAnswer> {
  const { op, path, recursive } = request;
  if (op === 'list') {
    const leave = await spec.lists.enter(spec.ended);
    return listPath(ground, path, recursive)
      .then((value) => ({ value }))
      .finally(leave);
  }
  if (op === 'stat') return { value: await statPath(ground, path) };
  return { value: await changeInTurn(ground, request, spec) };
}

function changeInTurn(
  ground: Ground,
  { op, path, to, recursive, replace, maxFileBytes }: StorageRequest,
  spec: ChangeSpec,
): Promise<StorageChanged | UsageAnswer> {
  const { store, refusals } = ground;
  return store.inTurn<StorageChanged | UsageAnswer>(async (usage) => {
    const late = spec.stopped();
    if (late !== undefined) throw late;
    switch (op) {
      case 'write':
      case 'append': {
        if (spec.body === undefined) throw refusals.malformed('comes without its content');
        const write = op === 'write' ? writeFile : appendFile;
        const content = arriving(spec.body, spec.ended, spec.stopped);
        spec.record.bytesWritten = await write(ground, path, usage, {
          maxBytes: maxFileBytes,
          content,
        });
        return changed(store, true);
      }
      case 'mkdir':
        await makeDirectory(ground, path, usage);
        return changed(store, true);
      case 'delete':
        return changed(store, await deletePath(ground, path, usage, recursive));
      case 'move':
        await movePath(ground, path, to, usage, replace);
        return changed(store, true);
      default:
        return { ...usage, maxBytes: store.limits.maxBytes, maxFiles: store.limits.maxFiles };
    }
  });
}

function changed(store: Store, done: boolean): StorageChanged {
  store.generation += 1;
  return { done, generation: store.generation };
}

/** Content on its way from a guest, which may never send the rest of it. */
function arriving(body: ByteSource, ended: AbortSignal, stopped: () => unknown): Content {
  return async () => {
    const bytes = await untilAborted(ended, body.pull()).catch((error: unknown) => {
      throw stopped() ?? error;
    });
    const why = stopped();
    if (why !== undefined) throw why;
    return bytes;
  };
}

/** For the record: what was asked, in the guest's words, cut. */
function nameOf(params: unknown): string {
  const given = isRecord(params) ? params : {};
  const [op, area, path, to] = ['op', 'area', 'path', 'to'].map((key) =>
    typeof given[key] === 'string' ? given[key].slice(0, 200) : '',
  );
  const place = area === '' || area === 'data' ? path : `${area}:${path}`;
  return JSON.stringify(`${op} ${place}${to === '' ? '' : ` to ${to}`}`).slice(1, -1);
}
