import { isAbsolute, relative, sep } from 'node:path';
import { BulkheadError } from '../errors.js';
import type { ReadPower } from './format.js';

/**
 * Reads a plugin's own file: `undefined` where it has none of that name. Throws `OUTSIDE_PLUGIN` for
 * a link that leads out: a file of the host's would end in messages about it. `root` is a real path.
 */
export async function readOwnFile(
  power: ReadPower,
  root: string,
  name: string,
  maxBytes: number,
): Promise<string | undefined> {
  const file = await power.realpathIn(root, name);
  if (file === undefined) return undefined;
  if (isInside(root, file)) return power.readFile(file, maxBytes);
  throw new BulkheadError(
    'OUTSIDE_PLUGIN',
    `${name} of the plugin in ${root} is a link that leads out of it. Put the file itself there.`,
    { path: name },
  );
}

/** Whether a real path lies in a directory, given by its real path too. */
export function isInside(root: string, path: string): boolean {
  // Nearly always: both are real paths, and lie as they say.
  if (path.startsWith(root + sep)) return true;
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
