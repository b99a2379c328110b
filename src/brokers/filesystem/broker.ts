import { setMaxListeners } from 'node:events';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import type { Attribution } from '../attribution.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import { makeTurnstile } from '../turnstile.js';
import { contain, makeRoot } from './contain.js';
import { contentOf } from './content.js';
import { FILESYSTEM_LIMITS, type FilesystemLimits } from './limits.js';
import { lookAt, lookAtRoots } from './look.js';
import { openChecked } from './open.js';
import { parsePath } from './path.js';
import { type FilesystemRecord, openRecord, type OpenRecord } from './record.js';
import { makeRefusals } from './refusals.js';

export interface FilesystemBrokerSpec {
  readonly plugin: PluginIdentity;
  /** Real path of the plugin's directory: what relative prefixes and paths are relative to. */
  readonly directory: string;
  /** The granted prefixes. */
  readonly granted: readonly string[];
  readonly limits?: Partial<FilesystemLimits>;
  readonly onEvent?: (record: FilesystemRecord) => void;
}

/** Reads files for one plugin, as far as its grant goes. */
export interface FilesystemBroker {
  /**
   * Opens one file. `params` are a guest's, as in `ReadFileParams`, and are parsed here. The file is
   * closed when the body has been read or cancelled, or the signal aborts. `bytes` is its size when
   * it was opened: a file that changes gives more or fewer.
   *
   * Rejects with `FILESYSTEM_DENIED`, `FILESYSTEM_FAILED`, `FILESYSTEM_LIMIT`, `CANCELLED` by the
   * signal, or `PERMISSION_REVOKED` after `close`. The body fails with one of these as well.
   */
  readFile(params: unknown, signal: AbortSignal, behalf?: Attribution): Promise<FileContent>;
  /**
   * Looks at a path without reading it: `stat` answers what is there, or `null`; `list` what lies in
   * a directory, links left out. `params` are a guest's, as in `LookFileParams`. Rejects as `readFile`.
   */
  look(
    params: unknown,
    signal: AbortSignal,
    behalf?: Attribution,
  ): Promise<StorageEntry | readonly StorageEntry[] | null>;
  /** The grant has changed. Where something was taken away, ends every read that is under way. */
  follow(granted: readonly string[], narrowed: boolean): void;
  /** Closes every file. */
  close(): void;
  /** Files open, or being opened. */
  readonly active: number;
}

export interface FileContent {
  readonly body: ByteSource;
  readonly bytes: number;
}

export function makeFilesystemBroker(spec: FilesystemBrokerSpec): FilesystemBroker {
  const { plugin, directory } = spec;
  const limits: FilesystemLimits = { ...FILESYSTEM_LIMITS, ...spec.limits };
  const granted = [...spec.granted];
  const refusals = makeRefusals(plugin, granted, limits);
  let roots = granted.map((prefix) => makeRoot(prefix, directory));
  const turnstile = makeTurnstile({
    maxActive: limits.maxOpenFiles,
    maxWaiting: limits.maxWaiting,
    full: () => refusals.limit('maxWaiting', 'too many of its reads wait already'),
  });
  let revoked = makeRevocation();
  let closed = false;

  const explain = (error: unknown, asked: string): BulkheadError =>
    isBulkheadError(error) ? error : refusals.failed(asked, 'reading it failed', error);

  const read = async (
    asked: string,
    leave: () => void,
    record: OpenRecord,
    signal: AbortSignal,
    taken: AbortSignal,
  ): Promise<FileContent> => {
    const checked = await contain(asked, directory, roots, refusals);
    const { handle, bytes, realPath } = await openChecked(checked, refusals);
    record.realPath = realPath;

    const stopped = (): BulkheadError | undefined => {
      if (taken.aborted) return refusals.revoked();
      return signal.aborted ? refusals.cancelled() : undefined;
    };
    const end = (error?: unknown): void => {
      taken.removeEventListener('abort', stop);
      signal.removeEventListener('abort', stop);
      record.close(error === undefined ? 'allowed' : 'failed', error);
      // Its reads have been answered or are of no more interest, and so is a failure to close.
      handle.close().catch(() => {});
      leave();
    };
    const stop = (): void => end(stopped());
    const tooLong = (): BulkheadError => refusals.limit('maxFileBytes', `${asked} is too long`);

    const early = stopped() ?? (bytes > limits.maxFileBytes ? tooLong() : undefined);
    if (early !== undefined) {
      end(early);
      throw early;
    }
    taken.addEventListener('abort', stop, { once: true });
    signal.addEventListener('abort', stop, { once: true });
    const onBytes = (count: number): void => {
      record.bytes += count;
    };
    const body = contentOf(handle, {
      bytes,
      explain: (error) => explain(error, asked),
      maxBytes: limits.maxFileBytes,
      tooLong,
      stopped,
      onBytes,
      end,
    });
    return { bytes, body };
  };

  /** Does something with a path, in turn; what fails is explained and told. */
  const attend = async <Result>(
    params: unknown,
    signal: AbortSignal,
    behalf: Attribution | undefined,
    work: (
      asked: string,
      leave: () => void,
      record: OpenRecord,
      taken: AbortSignal,
    ) => Promise<Result>,
  ): Promise<Result> => {
    const path = typeof params === 'object' && params !== null && 'path' in params && params.path;
    const record = openRecord(plugin.id, path, spec.onEvent ?? (() => {}), behalf);
    let leave = (): void => {};
    // The one that holds now: a read that waits while its permission goes does not begin after it.
    const taken = revoked.signal;
    try {
      if (closed) throw refusals.revoked();
      const asked = parsePath(params, limits, refusals);
      leave = await turnstile.enter(signal);
      if (taken.aborted) throw refusals.revoked();
      return await work(asked, leave, record, taken);
    } catch (error) {
      leave();
      const explained = signal.aborted
        ? refusals.cancelled()
        : explain(error, typeof path === 'string' ? path : '');
      record.close(explained.code === 'FILESYSTEM_DENIED' ? 'denied' : 'failed', explained);
      throw explained;
    }
  };

  return {
    readFile: (params, signal, behalf) =>
      attend(params, signal, behalf, (asked, leave, record, taken) =>
        read(asked, leave, record, signal, taken),
      ),
    look: (params, signal, behalf) =>
      attend(params, signal, behalf, async (asked, leave, record, taken) => {
        const op = isRecord(params) ? params['op'] : undefined;
        const at = { directory, roots, refusals, limits };
        const found = await (op === 'roots'
          ? lookAtRoots(granted, at)
          : lookAt({ ...at, asked, isList: op === 'list' }));
        if (taken.aborted) throw refusals.revoked();
        record.close('allowed');
        leave();
        return found;
      }),
    follow: (next, narrowed) => {
      granted.splice(0, granted.length, ...next);
      roots = granted.map((prefix) => makeRoot(prefix, directory));
      if (!narrowed) return;
      const before = revoked;
      revoked = makeRevocation();
      before.abort();
    },
    close: () => {
      closed = true;
      revoked.abort();
    },
    get active() {
      return turnstile.active;
    },
  };
}

function makeRevocation(): AbortController {
  const controller = new AbortController();
  // Each open file listens: more than a few are no leak to be warned of.
  setMaxListeners(0, controller.signal);
  return controller;
}
