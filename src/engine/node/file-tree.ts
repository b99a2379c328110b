import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from './pauses.js';

/** Files that are read at once. */
const WIDTH = 16;

/**
 * The hash of the files below a directory: `sha512-<base64>` over the sorted lines `<sha512> <path>`. Links and
 * hidden files are left out: a plugin whose files are pinned by this hash cannot read them there.
 */
export async function hashFileTree(directory: string): Promise<string> {
  const paths = await listFiles(directory, '');
  const lines = await mapConcurrently(paths.toSorted(), WIDTH, async (path) => {
    const bytes = await readFile(join(directory, path));
    return `${createHash('sha512').update(bytes).digest('hex')} ${JSON.stringify(path)}`;
  });
  return `sha512-${createHash('sha512').update(lines.join('\n')).digest('base64')}`;
}

/** The plain files below a directory, with `/` between the segments. */
async function listFiles(directory: string, below: string): Promise<readonly string[]> {
  const found = await readdir(join(directory, below), { withFileTypes: true });
  const lists = await Promise.all(
    found.map(async (one): Promise<readonly string[]> => {
      if (one.name.startsWith('.')) return [];
      const path = below === '' ? one.name : `${below}/${one.name}`;
      if (one.isDirectory()) return listFiles(directory, path);
      return one.isFile() ? [path] : [];
    }),
  );
  return lists.flat();
}
