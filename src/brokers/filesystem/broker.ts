import { setMaxListeners } from 'node:events';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import { contentOf } from '../file-content.js';
import { FILESYSTEM_LIMITS, type FilesystemLimits } from '../limits.js';
import {
  type Attribution,
  type FilesystemRecord,
  type OpenFields,
  openRecord,
  type OpenRecord,
} from '../record.js';
import type { FileMaker, WrittenFiles } from '../written-files.js';
import { applyChange, type ChangeContext } from './changes.js';
import { makeMountUse, type MountUse } from './mount-use.js';
import { noteChange } from './note-change.js';
import { readChange } from './read-change.js';
import { checkPath, openChecked, parsePath, withoutGrant } from './checked-path.js';
import { makeRoot } from './roots.js';
import { makeRefusals } from './refusals.js';
import { inspectPath } from './stat.js';

export interface FilesystemBrokerSpec {
  readonly plugin: PluginIdentity;
  /** Real path of the plugin's directory. Relative prefixes and paths are relative to it. */
  readonly directory: string;
  /** The granted prefixes. */
  readonly granted: readonly string[];
  readonly limits?: Partial<FilesystemLimits>;
  /** Whether the files of the plugin's directory are pinned. Default: false. */
  readonly isPinned?: boolean;
  /** Where the broker finds a granted prefix. Default: at its path. */
  readonly placeOf?: ((scope: string) => string) | undefined;
  /** Paths that no grant makes writable: the operator's own files. Default: none. */
  readonly closed?: readonly string[];
  /** What the plugin adds to its mounts, for all its brokers. Default: this broker's own. */
  readonly mountUse?: MountUse;
  /** Notes the files that calls write. Default: they are not noted. */
  readonly written?: WrittenFiles | undefined;
  readonly onEvent?: (record: FilesystemRecord) => void;
}

/** Reads and changes files for one plugin, within its grant. */
export interface FilesystemBroker {
  /**
   * Opens one file. `params` come from a guest (`ReadFileParams`) and are parsed here. The file is
   * closed when the body has been read or cancelled, or when the signal aborts. `bytes` is the size
   * at open; a file that changes may have more or fewer.
   *
   * Rejects with `FILESYSTEM_DENIED`, `FILESYSTEM_FAILED`, `FILESYSTEM_LIMIT`, `CANCELLED` by the
   * signal, or `PERMISSION_REVOKED` after `close`. The body fails with the same errors.
   */
  readFile(params: unknown, signal: AbortSignal, attribution?: Attribution): Promise<FileContent>;
  /**
   * Inspects a path without reading it. `params` come from a guest (`StatFileParams`). `stat`
   * returns the entry or `null`; `list` returns the entries of a directory without links. Rejects
   * like `readFile`.
   */
  inspect(
    params: unknown,
    signal: AbortSignal,
    attribution?: Attribution,
  ): Promise<StorageEntry | readonly StorageEntry[] | null>;
  /**
   * Changes a file in a writable mount. `params` come from a guest (`ChangeFileParams`). Answers
   * whether anything was there. Rejects like `readFile`.
   */
  change(
    params: unknown,
    content: ByteSource | undefined,
    signal: AbortSignal,
    attribution?: Attribution,
    maker?: FileMaker,
  ): Promise<{ readonly done: boolean }>;
  /** Replaces the granted prefixes. If `narrowed`, ends every open read. */
  updateGrant(granted: readonly string[], narrowed: boolean): void;
  /** Closes all files. */
  close(): void;
  /** The number of files that are open or being opened. */
  readonly active: number;
}

export interface FileContent {
  readonly body: ByteSource;
  readonly bytes: number;
}

/** One admitted operation on a path. */
interface Operation {
  /** The path that the plugin wrote. */
  readonly requested: string;
  readonly record: OpenRecord<FilesystemRecord>;
  /** Aborts if the initial permission is narrowed or revoked. */
  readonly revoked: AbortSignal;
  /** Releases the semaphore. */
  readonly release: () => void;
}

export function makeFilesystemBroker(spec: FilesystemBrokerSpec): FilesystemBroker {
  const { plugin, directory } = spec;
  const limits: FilesystemLimits = { ...FILESYSTEM_LIMITS, ...spec.limits };
  const granted = [...spec.granted];
  const refusals = makeRefusals(plugin, granted, limits);
  const { placeOf = (scope: string): string => scope } = spec;
  let roots = granted.map((prefix) => makeRoot(placeOf(prefix), directory, spec.isPinned));
  const semaphore = makeSemaphore({
    maxActive: limits.maxOpenFiles,
    maxQueued: limits.maxQueued,
    full: () => refusals.limit('maxQueued', 'too many of its reads are queued'),
  });
  let revocation = makeRevocation();
  const closed = spec.closed ?? [];
  const mountUse = spec.mountUse ?? makeMountUse();
  let isClosed = false;

  const explain = (error: unknown, requested: string): BulkheadError =>
    isBulkheadError(error) ? error : refusals.failed(requested, 'the read failed', error);

  const read = async (
    { requested, record, revoked, release }: Operation,
    signal: AbortSignal,
  ): Promise<FileContent> => {
    const checked = await checkPath(requested, directory, roots, refusals);
    const { handle, bytes, realPath } = await openChecked(checked, refusals);
    record.fields.realPath = realPath;

    const stopped = (): BulkheadError | undefined => {
      if (revoked.aborted) return refusals.revoked();
      return signal.aborted ? refusals.cancelled() : undefined;
    };
    const end = (error?: unknown): void => {
      revoked.removeEventListener('abort', stop);
      signal.removeEventListener('abort', stop);
      record.close(error === undefined ? 'allowed' : 'failed', error);
      // Every read was answered or cancelled, so a failure to close does not matter.
      handle.close().catch(() => {});
      release();
    };
    const stop = (): void => end(stopped());
    const tooLong = (): BulkheadError => refusals.limit('maxFileBytes', `${requested} is too long`);

    const early = stopped() ?? (bytes > limits.maxFileBytes ? tooLong() : undefined);
    if (early !== undefined) {
      end(early);
      throw early;
    }
    revoked.addEventListener('abort', stop, { once: true });
    signal.addEventListener('abort', stop, { once: true });
    const body = contentOf(handle, {
      bytes,
      explain: (error) => explain(error, requested),
      maxBytes: limits.maxFileBytes,
      tooLong,
      stopped,
      onBytes: (count) => {
        record.fields.bytes += count;
      },
      end,
    });
    return { bytes, body };
  };

  /** Waits for the semaphore and runs `work`. Explains and records a failure. */
  const perform = async <Result>(
    params: unknown,
    signal: AbortSignal,
    attribution: Attribution | undefined,
    work: (operation: Operation) => Promise<Result>,
  ): Promise<Result> => {
    const path = isRecord(params) && typeof params['path'] === 'string' ? params['path'] : '';
    const record = openRecord<OpenFields<FilesystemRecord>>(
      {
        type: 'filesystem',
        plugin: plugin.id,
        ...attribution,
        path: JSON.stringify(path.slice(0, 200)),
        bytes: 0,
      },
      spec.onEvent,
    );
    let release = (): void => {};
    // Read before the wait: a queued read whose permission is revoked meanwhile does not start.
    const revoked = revocation.signal;
    try {
      if (isClosed) throw refusals.revoked();
      const requested = parsePath(params, limits, refusals);
      release = await semaphore.acquire(signal);
      if (revoked.aborted) throw refusals.revoked();
      return await work({ requested, record, revoked, release });
    } catch (error) {
      release();
      const found = signal.aborted ? refusals.cancelled() : explain(error, path);
      const explained =
        found.code === 'FILESYSTEM_DENIED' && isRecord(params) && params['orMissing'] === true
          ? await withoutGrant(path, directory, refusals, found)
          : found;
      record.close(explained.code === 'FILESYSTEM_DENIED' ? 'denied' : 'failed', explained);
      throw explained;
    }
  };

  return {
    readFile: (params, signal, attribution) =>
      perform(params, signal, attribution, (operation) => read(operation, signal)),
    inspect: (params, signal, attribution) =>
      perform(params, signal, attribution, async ({ requested, record, revoked, release }) => {
        const op = isRecord(params) ? params['op'] : undefined;
        const context = { directory, roots, refusals, limits };
        const found = await inspectPath({ ...context, requested, isList: op === 'list' });
        if (revoked.aborted) throw refusals.revoked();
        record.close('allowed');
        release();
        return found;
      }),
    change: (params, content, signal, attribution, maker) =>
      perform(params, signal, attribution, async ({ requested, record, revoked, release }) => {
        const change = await readChange(params, requested, content, limits, refusals);
        record.fields.op = change.op;
        const done = await mountUse.exclusively(async () => {
          let stamp = '';
          const context: ChangeContext = {
            directory,
            roots,
            refusals,
            closed,
            maxFileBytes: limits.maxFileBytes,
            charge: (more) => mountUse.charge(more, limits, refusals),
            onWritten: (after) => {
              stamp = after;
            },
          };
          if (revoked.aborted) throw refusals.revoked();
          if (signal.aborted) throw refusals.cancelled();
          const end = noteChange(spec.written, change, context, maker);
          try {
            const existed = await applyChange(change, context);
            end({ bytes: 'content' in change ? change.content.length : 0, existed, stamp });
            return existed;
          } catch (error) {
            end(undefined);
            throw error;
          }
        });
        if ('content' in change) record.fields.bytes += change.content.length;
        record.close('allowed');
        release();
        return { done };
      }),
    updateGrant: (next, narrowed) => {
      granted.splice(0, granted.length, ...next);
      roots = granted.map((prefix) => makeRoot(placeOf(prefix), directory, spec.isPinned));
      if (!narrowed) return;
      const before = revocation;
      revocation = makeRevocation();
      before.abort();
    },
    close: () => {
      isClosed = true;
      revocation.abort();
    },
    get active() {
      return semaphore.active;
    },
  };
}

function makeRevocation(): AbortController {
  const controller = new AbortController();
  // Each open file adds a listener, so many listeners do not indicate a leak.
  setMaxListeners(0, controller.signal);
  return controller;
}
