import { grantRemedy } from '../../../sandbox/wire/grant-remedy.js';
import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import { didYouMean } from '../../did-you-mean.js';
import type { FilesystemLimits } from '../limits.js';

/**
 * Every refusal of the filesystem broker. Plugins read them, so they contain only the plugin's own
 * path and grant.
 */
export interface Refusals {
  /** No granted prefix covers the path. */
  notGranted(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** A link below a granted prefix leads out of it, or is broken. The plugin does not learn which. */
  leadsOut(path: string, cause: unknown): BulkheadError<'FILESYSTEM_DENIED'>;
  /** The path may be read and not written. */
  readOnly(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** A name that other programs execute or trust, or a file of the operator. */
  protected(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** An error of the system, by its code. */
  fault(code: FileFault, path: string): BulkheadError<'FILESYSTEM_FAILED'>;
  /** A file of the kernel. */
  special(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** Not a valid path. */
  malformed(why: string): BulkheadError<'FILESYSTEM_DENIED'>;
  failed(path: string, why: string, cause?: unknown): BulkheadError<'FILESYSTEM_FAILED'>;
  limit(limit: keyof FilesystemLimits, what: string): BulkheadError<'FILESYSTEM_LIMIT'>;
  cancelled(): BulkheadError<'CANCELLED'>;
  revoked(): BulkheadError<'PERMISSION_REVOKED'>;
}

/** Codes of the system that plugins test for. */
export type FileFault = 'ENOENT' | 'EEXIST' | 'EISDIR' | 'ENOTDIR' | 'ENOTEMPTY';

export function makeRefusals(
  plugin: PluginIdentity,
  granted: readonly string[],
  limits: FilesystemLimits,
): Refusals {
  const denied = (wanted: string, message: string, cause?: unknown) =>
    new BulkheadError(
      'FILESYSTEM_DENIED',
      `Filesystem denied: ${message}`,
      { plugin: plugin.id, wanted, granted: [...granted] },
      { cause },
    );
  // The broker updates this list when the grant changes, so it is read at each refusal.
  const holds = (): string => {
    const quoted = granted.slice(0, 8).map((prefix) => `"${prefix}"`);
    const more = granted.length > 8 ? ` and ${granted.length - 8} more` : '';
    return granted.length === 0
      ? 'it is granted no path'
      : `it is granted ${quoted.join(', ')}${more}`;
  };

  return {
    notGranted: (path) => {
      const near = didYouMean(path, granted);
      const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
      return denied(
        path,
        `${path} is not in what ${plugin.id} may read (${holds()}).${meant}` +
          ` ${grantRemedy(plugin, 'fs', path)}`,
      );
    },
    leadsOut: (path, cause) =>
      denied(
        path,
        `${path} is or goes through a link that does not end in a file that ${plugin.id} may read` +
          ` (${holds()}). Use the path that the link leads to. ${grantRemedy(plugin, 'fs')}`,
        cause,
      ),
    readOnly: (path) =>
      denied(
        path,
        `${path} is not in what ${plugin.id} may write (${holds()}). To allow it, grant its directory` +
          ` with ":rw", like fs: ["/path/to/workspace:rw"].`,
      ),
    protected: (path) =>
      denied(
        path,
        `${path} is or has a name that other programs execute or trust, or a file of the operator.` +
          ` ${plugin.id} may not write it. To allow it, grant exactly that path with ":rw".`,
      ),
    fault: (code, path) =>
      new BulkheadError('FILESYSTEM_FAILED', `${code}: ${path} cannot be changed.`, { path }),
    special: (path) =>
      denied(
        path,
        `${path} is a file of the kernel, which a path above it does not cover. ${grantRemedy(plugin, 'fs', path)}`,
      ),
    malformed: (why) => denied('', `${plugin.id} requested for a path that ${why}.`),
    failed: (path, why, cause) =>
      new BulkheadError(
        'FILESYSTEM_FAILED',
        `${path} cannot be read: ${why}.`,
        { path },
        { cause },
      ),
    limit: (limit, what) =>
      new BulkheadError(
        'FILESYSTEM_LIMIT',
        `A file operation of ${plugin.id} was stopped: ${what}. The limit ${limit} is` +
          ` ${limits[limit]}; ${REMEDIES[limit] ?? 'it is fixed'}.`,
        { limit },
      ),
    cancelled: () => new BulkheadError('CANCELLED', `A read of ${plugin.id} was cancelled.`, {}),
    revoked: () =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The filesystem permission of ${plugin.id} was revoked.`,
        { permission: 'fs' },
      ),
  };
}

const REMEDIES: Partial<Record<keyof FilesystemLimits, string>> = {
  maxMountBytes: 'the operator can raise limits.maxMountBytes',
  maxMountFiles: 'the operator can raise limits.maxMountFiles',
};
