import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { BulkheadError } from '../../errors.js';
import { closest } from '../../permissions/closest.js';
import type { FilesystemLimits } from './limits.js';

/**
 * Every sentence with which the filesystem broker refuses something. They reach the plugin, so
 * they name the path as the plugin wrote it and its own grant, and nothing else of the host.
 */
export interface Refusals {
  /** No granted prefix covers the path. */
  notGranted(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** A link below a granted prefix leads out of it, or to nothing: which of the two is not told. */
  leadsOut(path: string, cause: unknown): BulkheadError<'FILESYSTEM_DENIED'>;
  /** A part of the machine that looks like files. */
  special(path: string): BulkheadError<'FILESYSTEM_DENIED'>;
  /** Not the text of a path. */
  malformed(why: string): BulkheadError<'FILESYSTEM_DENIED'>;
  failed(path: string, why: string, cause?: unknown): BulkheadError<'FILESYSTEM_FAILED'>;
  limit(limit: keyof FilesystemLimits, what: string): BulkheadError<'FILESYSTEM_LIMIT'>;
  cancelled(): BulkheadError<'CANCELLED'>;
  revoked(): BulkheadError<'PERMISSION_REVOKED'>;
}

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
  // What is granted may change: the list is the broker's own, read when something is refused.
  const holds = (): string => {
    const quoted = granted.slice(0, 8).map((prefix) => `"${prefix}"`);
    const more = granted.length > 8 ? ` and ${granted.length - 8} more` : '';
    return granted.length === 0
      ? 'it is granted no path'
      : `it is granted ${quoted.join(', ')}${more}`;
  };

  return {
    notGranted: (path) => {
      const near = closest(path, granted);
      const meant = near === undefined ? '' : ` Is "${near}" meant?`;
      return denied(
        path,
        `${path} is not in what ${plugin.id} may read (${holds()}).${meant}` +
          ` To allow it, add "${path}" to the fs permission in ${plugin.manifest}.`,
      );
    },
    leadsOut: (path, cause) =>
      denied(
        path,
        `${path} is or goes through a link that does not end in a file that ${plugin.id} may read` +
          ` (${holds()}). To allow it, add the path that the link leads to to the fs permission in` +
          ` ${plugin.manifest}, and read that.`,
        cause,
      ),
    special: (path) =>
      denied(
        path,
        `${path} is a part of the machine and not a file. To allow it all the same, name exactly` +
          ` that path in the fs permission in ${plugin.manifest}: a path above it does not cover it.`,
      ),
    malformed: (why) => denied('', `${plugin.id} asked for a path that ${why}.`),
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
        `A read of ${plugin.id} was stopped: ${what}. The limit ${limit} is ${limits[limit]};` +
          ' the operator can raise it.',
        { limit },
      ),
    cancelled: () => new BulkheadError('CANCELLED', `A read of ${plugin.id} was given up.`, {}),
    revoked: () =>
      new BulkheadError(
        'PERMISSION_REVOKED',
        `The filesystem permission of ${plugin.id} was taken away.`,
        { permission: 'filesystem' },
      ),
  };
}
