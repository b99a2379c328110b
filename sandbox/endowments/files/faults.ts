import type { EndowmentPowers } from '../endowment.js';
import { storageDirectoryOf } from '../../wire/storage.js';

/** Names of failures that code tells apart. */
export type Errno = 'ENOENT' | 'EEXIST' | 'EISDIR' | 'ENOTDIR' | 'ENOTEMPTY' | 'EINVAL' | 'EACCES';

const NUMBERS: Readonly<Record<Errno, number>> = {
  ENOENT: -2,
  EACCES: -13,
  EEXIST: -17,
  ENOTDIR: -20,
  EISDIR: -21,
  EINVAL: -22,
  ENOTEMPTY: -39,
};

const WORDS: Readonly<Record<Errno, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  EINVAL: 'invalid argument',
  ENOTEMPTY: 'directory not empty',
};

/** A failure as Node words it, which code tells by its `code`. */
export function makeFault(errno: Errno, path: string, code: string = errno, more = ''): Error {
  const text = `${errno}: ${WORDS[errno]}, '${path}'${more === '' ? '' : `: ${more}`}`;
  return Object.assign(new Error(text), { errno: NUMBERS[errno], code, path });
}

/**
 * What another part of the guest refused or the host did, as a failure of a file. A refusal keeps the
 * code and the words that say what would allow it.
 */
export function asFault(error: unknown, path: string): Error {
  if (!(error instanceof Error)) return makeFault('EINVAL', path);
  const code: unknown = Reflect.get(error, 'code');
  const errno = /^(ENOENT|EEXIST|EISDIR|ENOTDIR|ENOTEMPTY|EINVAL):/.exec(error.message)?.[1];
  if (code === 'STORAGE_FAILED' && isErrno(errno)) return makeFault(errno, path);
  if (code === 'FILESYSTEM_FAILED') {
    return makeFault(error.message.endsWith('no such file.') ? 'ENOENT' : 'EINVAL', path);
  }
  return typeof code === 'string' && DENIALS.has(code)
    ? makeFault('EACCES', path, code, error.message)
    : error;
}

/** Whether it says that nothing is there. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether it says that the plugin may not look there. */
export function isDenied(error: unknown): boolean {
  return error instanceof Error && DENIALS.has(String(Reflect.get(error, 'code')));
}

const DENIALS: ReadonlySet<string> = new Set([
  'STORAGE_DENIED',
  'FILESYSTEM_DENIED',
  'PERMISSION_REVOKED',
]);

function isErrno(text: string | undefined): text is Errno {
  return text !== undefined && Object.hasOwn(NUMBERS, text);
}

/** The refusal of a path that no permission of the plugin reaches, with the edit that would. */
export function refuse(
  powers: Pick<EndowmentPowers, 'denial' | 'grant' | 'plugin'>,
  path: string,
  permission: 'storage' | 'filesystem',
): Error {
  if (permission === 'storage' && powers.grant.storage) {
    const { id } = powers.plugin;
    const more = `${id} may write in its own storage and nowhere else. Write below ${storageDirectoryOf(id)}.`;
    return makeFault('EACCES', path, 'STORAGE_DENIED', more);
  }
  return asFault(powers.denial(permission, path), path);
}
