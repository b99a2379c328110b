import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';

import type { CheckedPath } from './contain.js';
import type { Refusals } from './refusals.js';

export interface OpenedFile {
  readonly handle: FileHandle;
  /** Its size now. */
  readonly bytes: number;
  readonly realPath: string;
}

/**
 * Opens a checked path and asks afterwards which file that gave, because any part of the path may
 * have been swapped for a link since it was checked. Regular files only: nothing is waited for
 * (a pipe) and nothing set off (a device).
 *
 * A hard link is not told apart from the file that it is a second name of: who can make one inside
 * a granted prefix can give away that file. A guest cannot; it writes nothing.
 */
export async function openChecked(
  path: CheckedPath,
  refusals: Refusals,
  descriptors: string = '/proc/self/fd',
): Promise<OpenedFile> {
  const handle = await openRegular(path, refusals);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw refusals.failed(path.asked, NOT_REGULAR);
    const realPath = await locate(handle, path, descriptors);
    if (realPath === undefined || !path.admits(realPath)) {
      throw refusals.leadsOut(path.asked, `what was opened is ${realPath ?? 'elsewhere'}`);
    }
    return { handle, bytes: stats.size, realPath };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const NOT_REGULAR = 'it is not a regular file';

async function openRegular(path: CheckedPath, refusals: Refusals): Promise<FileHandle> {
  try {
    // Opening a device can do things, so what is there is looked at first.
    const stats = await lstat(path.real);
    if (stats.isSymbolicLink()) throw refusals.leadsOut(path.asked, 'it became a link');
    if (!stats.isFile()) throw refusals.failed(path.asked, NOT_REGULAR);
    return await open(path.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ELOOP' || code === 'ENOTDIR') throw refusals.leadsOut(path.asked, error);
    if (code === 'ENOENT') throw refusals.failed(path.asked, 'there is no such file', error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw refusals.failed(path.asked, 'the host itself may not read it', error);
    }
    throw error;
  }
}

/** Where the open file lies: the kernel's word for it, or `undefined` where that cannot be told. */
async function locate(
  handle: FileHandle,
  path: CheckedPath,
  descriptors: string,
): Promise<string | undefined> {
  const told = await readlink(`${descriptors}/${handle.fd}`).catch(() => undefined);
  if (told !== undefined) return told;
  // Without /proc (macOS): the path is followed anew, and has to end in the very file that is open.
  // Two swaps, one on each side of the last step, could still deceive this.
  const real = await realpath(path.real).catch(() => undefined);
  if (real === undefined) return undefined;
  const [opened, there] = await Promise.all([
    handle.stat({ bigint: true }),
    lstat(real, { bigint: true }).catch(() => undefined),
  ]);
  return opened.dev === there?.dev && opened.ino === there.ino ? real : undefined;
}
