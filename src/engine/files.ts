import { contentStream } from '../brokers/file-content.js';
import { fileStamp } from '../brokers/file-stamp.js';
import { type WrittenFile, type WrittenFiles } from '../brokers/written-files.js';
import { BulkheadError, isBulkheadError } from '../errors.js';
import { didYouMean } from '../did-you-mean.js';
import { checkKeys } from './types/check-options.js';

/** Whose files of a plugin are meant. */
export interface FilesOptions {
  /** The tenant of the calls: the call option `tenant`. Default: calls without a tenant. */
  readonly tenant?: string;
  /** `CallResult.callId`. Default: all calls of the tenant. */
  readonly callId?: string;
}

/** A file that a tool wrote: in the plugin's storage, in its workspace, or in a mount. */
export interface PluginFile {
  /** An opaque id. It changes with the content. */
  readonly id: string;
  /** The path as the plugin sees it, e.g. `/workspace/report.pdf`. Untrusted text. */
  readonly path: string;
  /** The last segment of the path. Untrusted text: not a name to write to without a check. */
  readonly name: string;
  /** Its bytes after the last write. */
  readonly bytes: number;
  /** The calls that wrote it. If several calls ran at once, it is one of them or each of them. */
  readonly calls: readonly string[];
}

/** An open file. Read its content to the end, or cancel it: this closes the file. */
export interface OpenPluginFile extends PluginFile {
  readonly content: ReadableStream<Uint8Array>;
}

/** The files that tools of one plugin wrote for one tenant. */
export interface PluginFiles {
  /**
   * The files in the order of their last writes: at most the last 1,000 of the plugin, since the
   * engine was created. A file that calls of several tenants wrote is not listed, nor one that was
   * also written between calls.
   */
  list(): readonly PluginFile[];
  /**
   * Opens a file by its id. Answers `undefined` if there is no such file, if it belongs to another
   * tenant or call, or if its content has changed since, also by another engine or program. The
   * content of a database that is changed while it is read fails with `STORAGE_FAILED`. Links that lead out of the plugin's places
   * are not followed: then it rejects with `STORAGE_DENIED` or `FILESYSTEM_DENIED`.
   */
  open(id: string): Promise<OpenPluginFile | undefined>;
}

const OPTION_NAMES: Readonly<Record<keyof FilesOptions, true>> = { tenant: true, callId: true };

/** Throws `PLUGIN_NOT_FOUND` and `INVALID_OPTIONS`. */
export function filesOf(
  plugin: string,
  options: FilesOptions,
  { ids, written }: { readonly ids: readonly string[]; readonly written: WrittenFiles },
): PluginFiles {
  if (typeof options !== 'object' || options === null) {
    throw invalid('options', 'engine.files takes an object as options, e.g. { callId }.');
  }
  checkKeys(options, OPTION_NAMES, 'engine.files');
  if (!ids.includes(plugin)) throw unknownPlugin(plugin, ids);
  const { tenant, callId } = options;
  for (const [name, value] of Object.entries({ tenant, callId })) {
    if (value !== undefined && typeof value !== 'string') {
      throw invalid(name, `The option ${name} of engine.files takes a text.`);
    }
  }
  const belongs = (file: WrittenFile): boolean =>
    // guard: files-of-own-tenant
    file.tenant === tenant && (callId === undefined || file.calls.includes(callId));
  return {
    list: () => written.list().filter(belongs).map(describe),
    open: async (id) => {
      const file = written.get(id);
      if (file === undefined || !belongs(file)) return undefined;
      const opened = await file.open().catch((error: unknown) => {
        if (isGone(error)) return undefined;
        throw error;
      });
      if (opened === undefined) return undefined;
      const { handle, bytes } = opened;
      const stamp = await fileStamp(handle).catch(async (error: unknown) => {
        await handle.close();
        throw error;
      });
      // A change that began meanwhile may have put the content of another call there.
      // guard: fetched-file-unchanged
      const isKnown = written.get(id) === file;
      // Another engine or program may have put the content of another tenant there.
      // guard: fetched-file-as-written
      const isSame = stamp === file.stamp;
      if (!isKnown || !isSame) {
        await handle.close();
        return undefined;
      }
      const check = async (): Promise<void> => {
        // guard: fetched-database-unchanged
        if (file.isPatched && (await fileStamp(handle)) !== stamp) throw changedMeanwhile(file);
      };
      return { ...describe(file), bytes, content: contentStream(handle, bytes, check) };
    },
  };
}

function describe({ id, path, bytes, calls }: WrittenFile): PluginFile {
  return { id, path, name: path.slice(path.lastIndexOf('/') + 1), bytes, calls };
}

/** A transaction changes a database in place: the rest of it is perhaps of another tenant. */
function changedMeanwhile({ path }: WrittenFile): BulkheadError {
  return new BulkheadError(
    'STORAGE_FAILED',
    `EBUSY: ${path} was changed while it was read. List the files again, and open it again.`,
    { path },
  );
}

/** Whether the file was deleted by another program. */
function isGone(error: unknown): boolean {
  return (
    (isBulkheadError(error, 'STORAGE_FAILED') && /^(ENOENT|ENOTDIR)/.test(error.message)) ||
    (isBulkheadError(error, 'FILESYSTEM_FAILED') && error.message.includes('there is no such file'))
  );
}

function unknownPlugin(plugin: string, ids: readonly string[]): BulkheadError {
  const near = didYouMean(plugin, ids);
  const remedy = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`;
  return new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `The engine has no plugin ${JSON.stringify(plugin)}.${remedy}`,
    { directory: plugin },
  );
}

function invalid(option: string, message: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', message, { option });
}
