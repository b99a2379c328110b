import type { EndowmentCapabilities } from '../endowment.js';
import { storageDirectoryOf } from '../../wire/storage.js';

/** The error codes of file operations. */
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

/** The code of the failure that a denial is if no code catches it. The fault itself has Node's code. */
const denials = new WeakMap<Error, string>();

/** A file error in Node's words, with its `code`. A denial has `EACCES`, which packages test for: see `denialOf`. */
export function makeFault(errno: Errno, path: string, code: string = errno, more = ''): Error {
  const text = `${errno}: ${WORDS[errno]}, '${path}'${more === '' ? '' : `: ${more}`}`;
  const isDenial = DENIALS.has(code);
  const fault = Object.assign(new Error(text), {
    errno: NUMBERS[errno],
    code: isDenial ? errno : code,
    path,
  });
  if (isDenial) denials.set(fault, code);
  return fault;
}

/** The code of a denial, `STORAGE_DENIED` for instance. `undefined` for any other value. */
export function denialOf(error: unknown): string | undefined {
  return error instanceof Error ? denials.get(error) : undefined;
}

/**
 * Converts an error of the guest or the host to a file error. A denial retains its code and its
 * remedy.
 */
export function asFault(error: unknown, path: string): Error {
  if (!(error instanceof Error)) return makeFault('EINVAL', path);
  const code: unknown = Reflect.get(error, 'code');
  const errno = /^(ENOENT|EEXIST|EISDIR|ENOTDIR|ENOTEMPTY|EINVAL):/.exec(error.message)?.[1];
  if (code === 'STORAGE_FAILED' && isErrno(errno)) return makeFault(errno, path);
  if (code === 'FILESYSTEM_FAILED') {
    if (isErrno(errno)) return makeFault(errno, path);
    return error.message.endsWith('no such file.')
      ? makeFault('ENOENT', path)
      : makeFault('EINVAL', path, code, error.message);
  }
  // A denial may be a fault already.
  return typeof code === 'string' && DENIALS.has(code) && !error.message.startsWith('EACCES: ')
    ? makeFault('EACCES', path, code, error.message)
    : error;
}

/** Whether the error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether the error is a denial. */
export function isDenied(error: unknown): boolean {
  return (
    denialOf(error) !== undefined ||
    (error instanceof Error && DENIALS.has(String(Reflect.get(error, 'code'))))
  );
}

const DENIALS: ReadonlySet<string> = new Set([
  'STORAGE_DENIED',
  'FILESYSTEM_DENIED',
  'PERMISSION_REVOKED',
]);

function isErrno(text: string | undefined): text is Errno {
  return text !== undefined && Object.hasOwn(NUMBERS, text);
}

/** The denial of a path that no permission of the plugin covers, with the edit that allows it. */
export function refuse(
  capabilities: Pick<EndowmentCapabilities, 'denial' | 'grant' | 'plugin'>,
  path: string,
  permission: 'storage' | 'fs',
): Error {
  if (permission === 'storage' && capabilities.grant.storage) {
    const { id } = capabilities.plugin;
    const more = `${id} may write only below ${storageDirectoryOf(id)}. To allow it here, grant the directory with fs: ["${directoryOf(path)}:rw"].`;
    return makeFault('EACCES', path, 'STORAGE_DENIED', more);
  }
  return asFault(capabilities.denial(permission, path), path);
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
