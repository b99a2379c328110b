import { BulkheadError } from '../../errors.js';
import type { StorageLimits } from './limits.js';

/** Why an operation that is allowed does not succeed, by the names that every system has for it. */
export type Errno =
  | 'ENOENT'
  | 'EISDIR'
  | 'ENOTDIR'
  | 'ENOTEMPTY'
  | 'EEXIST'
  | 'EINVAL'
  | 'EIO'
  | 'EFBIG';

/**
 * Every sentence with which the storage broker refuses something. They reach the plugin, so they
 * name the path as the plugin wrote it, and nothing of where the host keeps it.
 */
export interface Refusals {
  /** Not a path in the plugin's storage. */
  malformed(why: string): BulkheadError<'STORAGE_DENIED'>;
  /** Something that no plugin put there: a link, a device, a file with a second name. */
  foreign(path: string): BulkheadError<'STORAGE_DENIED'>;
  /** The message begins with `errno`, for code that tells failures apart by it. */
  failed(path: string, errno: Errno, cause?: unknown): BulkheadError<'STORAGE_FAILED'>;
  limit(limit: keyof StorageLimits, what: string): BulkheadError<'STORAGE_LIMIT'>;
  cancelled(): BulkheadError<'CANCELLED'>;
  revoked(): BulkheadError<'PERMISSION_REVOKED'>;
}

/** @param id the plugin's */
export function makeRefusals(id: string, limits: StorageLimits): Refusals {
  const denied = (wanted: string, message: string) =>
    new BulkheadError('STORAGE_DENIED', `Storage denied: ${message}`, {
      plugin: id,
      wanted,
      granted: ['true'],
    });
  return {
    malformed: (why) => denied('', `${id} asked for a path that ${why}.`),
    foreign: (path) =>
      denied(
        path,
        `${path} is no file that ${id} made: it is a link, or has another name elsewhere. To allow it, put the file itself there.`,
      ),
    failed: (path, errno, cause) =>
      new BulkheadError(
        'STORAGE_FAILED',
        `${errno}: ${path === '' ? 'the storage' : path} ${REASONS[errno]}.`,
        { path },
        { cause },
      ),
    limit: (limit, what) =>
      new BulkheadError(
        'STORAGE_LIMIT',
        `The storage of ${id} ran into its limit: ${what}. The limit ${limit} is ${limits[limit]}; ${REMEDIES[limit] ?? 'it is fixed'}.`,
        { limit },
      ),
    cancelled: () => new BulkheadError('CANCELLED', `An operation of ${id} was given up.`, {}),
    revoked: () =>
      new BulkheadError('PERMISSION_REVOKED', `The storage permission of ${id} was taken away.`, {
        permission: 'storage',
      }),
  };
}

const REASONS: Readonly<Record<Errno, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a directory',
  ENOTDIR: 'is or goes through what is no directory',
  ENOTEMPTY: 'is a directory that is not empty',
  EEXIST: 'exists already',
  EINVAL: 'cannot be moved into itself',
  EIO: 'could not be read or written',
  EFBIG: 'is too large',
};

const REMEDIES: Partial<Record<keyof StorageLimits, string>> = {
  maxBytes: 'the operator can raise limits.maxStorageBytes',
  maxFiles: 'the operator can raise limits.maxStorageFiles',
  maxFileBytes: 'the operator can raise limits.maxStorageFileBytes',
};
