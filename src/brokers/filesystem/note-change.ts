import { resolve } from 'node:path';
import type { ChangeEnd, FileMaker, WrittenFile, WrittenFiles } from '../written-files.js';
import type { ChangeContext, FileChange } from './changes.js';
import { checkPath, openChecked } from './checked-path.js';

/** Notes a change in a mount. Its files are opened later within the mounts of now. */
export function noteChange(
  written: WrittenFiles | undefined,
  change: FileChange,
  { directory, roots, refusals }: ChangeContext,
  maker: FileMaker | undefined,
): (end: ChangeEnd) => void {
  if (written === undefined || change.op === 'mkdir') return () => {};
  const keyOf = (path: string): string => `mount:${resolve('/', path)}`;
  const describe = (key: string): Pick<WrittenFile, 'path' | 'open'> => {
    const path = key.slice('mount:'.length);
    return {
      path,
      open: async () => openChecked(await checkPath(path, directory, roots, refusals), refusals),
    };
  };
  const key = keyOf(change.path);
  const noted =
    change.op === 'move' ? { op: change.op, key, to: keyOf(change.to) } : { op: change.op, key };
  return written.changing(noted, maker, describe);
}
