import { BulkheadError } from '../../errors.js';
import type { StorageLimits } from '../limits.js';

/** Why an allowed operation failed, by the names that systems use. */
export type Errno =
  | 'ENOENT'
  | 'EISDIR'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'EEXIST'
  | 'EINVAL'
  | 'EIO'
  | 'EFBIG'
  | 'EBUSY';

/**
 * Every refusal of the storage broker. Plugins read them, so they name the path that the plugin wrote
 * and no path of the host.
 */
export interface Refusals {
  /** Not a path in the plugin's storage. */
  malformed(why: string): BulkheadError<'STORAGE_DENIED'>;
  /** An entry that a plugin cannot make: a link, a device, a file with a second name. */
  foreign(path: string): BulkheadError<'STORAGE_DENIED'>;
  /** The message begins with `errno`, so that code can read it. */
  failed(path: string, errno: Errno, cause?: unknown): BulkheadError<'STORAGE_FAILED'>;
  limit(limit: keyof StorageLimits, what: string): BulkheadError<'STORAGE_LIMIT'>;
  /** The limit of the queues. */
  queueFull(): BulkheadError<'STORAGE_LIMIT'>;
  cancelled(): BulkheadError<'CANCELLED'>;
  revoked(): BulkheadError<'PERMISSION_REVOKED'>;
}

/** @param id the plugin's id */
export function makeRefusals(id: string, limits: StorageLimits): Refusals {
  const denied = (wanted: string, message: string) =>
    new BulkheadError('STORAGE_DENIED', `Storage denied: ${message}`, {
      plugin: id,
      wanted,
      granted: ['true'],
    });
  const limit = (name: keyof StorageLimits, what: string) =>
    new BulkheadError(
      'STORAGE_LIMIT',
      `The storage of ${id} reached a limit: ${what}. The limit ${name} is ${limits[name]}; ${REMEDIES[name] ?? 'it is fixed'}.`,
      { limit: name },
    );
  return {
    limit,
    queueFull: () => limit('maxQueued', 'too many of its operations are queued'),
    malformed: (why) => denied('', `${id} requested a path that ${why}.`),
    foreign: (path) =>
      denied(
        path,
        `${path} was not made by ${id}: it is a link, or has a second name. To allow it, replace it by a copy of the file.`,
      ),
    failed: (path, errno, cause) =>
      new BulkheadError(
        'STORAGE_FAILED',
        `${errno}: ${path === '' ? 'the storage' : path} ${REASONS[errno]}.`,
        { path },
        { cause },
      ),
    cancelled: () => new BulkheadError('CANCELLED', `An operation of ${id} was cancelled.`, {}),
    revoked: () =>
      new BulkheadError('PERMISSION_REVOKED', `The storage permission of ${id} was revoked.`, {
        permission: 'storage',
      }),
  };
}

const REASONS: Readonly<Record<Errno, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  ENOTDIR: 'is not a directory, or goes through a file',
  ENOTEMPTY: 'is a directory that is not empty',
  EEXIST: 'exists already',
  EINVAL: 'cannot be moved into itself',
  EIO: 'could not be read or written',
  EFBIG: 'is too large',
  EBUSY: 'was changed or is being written by another guest. Run the transaction again',
};

const REMEDIES: Partial<Record<keyof StorageLimits, string>> = {
  maxBytes: 'the operator can raise limits.maxStorageBytes',
  maxFiles: 'the operator can raise limits.maxStorageFiles',
  maxFileBytes: 'the operator can raise limits.maxStorageFileBytes',
};
