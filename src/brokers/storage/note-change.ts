import { type StorageArea, storageDirectoryOf } from '../../../sandbox/wire/storage.js';
import type { ChangeEnd, FileMaker, WrittenFile, WrittenFiles } from '../written-files.js';
import { openFile } from './reading.js';
import type { Segments, StorageRequest } from './request.js';
import type { AreaContext } from './walk.js';

/** Guests use this user of the storage for the enclave of a user. */
export const ENCLAVE_USER = 'enclave of ';

/** Notes a change of files. A value of an enclave is not a file. */
export function noteChange(
  written: WrittenFiles | undefined,
  plugin: string,
  maker: FileMaker | undefined,
  context: AreaContext,
  { op, area, user, path, to }: StorageRequest,
): (end: ChangeEnd) => void {
  // guard: enclave-values-not-fetched
  const isFile = area !== 'enclave' && !user.startsWith(ENCLAVE_USER);
  if (written === undefined || !isFile || op === 'mkdir' || !isChange(op)) return () => {};
  const top = `storage:${area}/${area === 'user' ? `${encodeURIComponent(user)}/` : ''}`;
  const key = `${top}${path.join('/')}`;
  const describe = (at: string): Pick<WrittenFile, 'path' | 'open'> => {
    const segments = at.slice(top.length).split('/');
    return { path: shownPath(plugin, area, segments), open: () => openFile(context, segments) };
  };
  const change =
    op === 'move'
      ? { op, key, to: `${top}${to.join('/')}` }
      : { op: op === 'db-commit' ? ('patch' as const) : op, key };
  return written.changing(change, maker, describe);
}

type ChangeOp = 'write' | 'append' | 'delete' | 'move' | 'db-commit';

function isChange(op: StorageRequest['op']): op is ChangeOp {
  return ['write', 'append', 'delete', 'move', 'db-commit'].includes(op);
}

/** The path under which code of the plugin finds a file of its storage. */
function shownPath(plugin: string, area: StorageArea, segments: Segments): string {
  if (area === 'user') return segments.join('/');
  if (area === 'data') return [storageDirectoryOf(plugin), ...segments].join('/');
  const [place = '', ...below] = segments;
  return [WORK_DIRECTORIES[place] ?? `/${place}`, ...below].join('/');
}

/** Where code of a plugin sees the directories of the area `work`. */
const WORK_DIRECTORIES: Readonly<Record<string, string>> = { home: '/home/plugin' };
