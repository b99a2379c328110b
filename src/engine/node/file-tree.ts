import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import { mapConcurrently } from './pauses.js';

/** Files that are read at once. */
const WIDTH = 16;

interface TreeLimits {
  readonly maxPinnedFiles: number;
  readonly maxPinnedBytes: number;
}

/** Stop a directory that takes minutes to read at each start. */
const LIMITS: TreeLimits = { maxPinnedFiles: 200_000, maxPinnedBytes: 4 * 1024 ** 3 };

/**
 * The hash of the files below a directory: `sha512-<base64>` over the sorted lines `<sha512> <path>`. Links and
 * hidden files are left out: a plugin whose files are pinned by this hash reads no hidden ones, and of links only those
 * to pinned files. Throws
 * `FILESYSTEM_LIMIT`, and errors of the system.
 */
export async function hashFileTree(
  directory: string,
  limits: TreeLimits = LIMITS,
): Promise<string> {
  const paths: string[] = [];
  await listFiles(directory, '', paths, limits);
  let bytes = 0;
  const lines = await mapConcurrently(paths.toSorted(), WIDTH, async (path) => {
    const hash = createHash('sha512');
    for await (const chunk of readRegular(join(directory, path))) {
      bytes += chunk.length;
      // guard: pinned-files-limited-in-bytes
      if (bytes > limits.maxPinnedBytes) throw beyond(directory, 'maxPinnedBytes', limits);
      hash.update(chunk);
    }
    return `${hash.digest('hex')} ${JSON.stringify(path)}`;
  });
  return `sha512-${createHash('sha512').update(lines.join('\n')).digest('base64')}`;
}

/** The content of a file. A pipe that took its place has none, and does not hold up its reader. */
async function* readRegular(path: string): AsyncGenerator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    return;
  }
  // Closes the handle at its end.
  yield* handle.createReadStream() as AsyncIterable<Buffer>;
}

/** Adds the plain files below a directory, with `/` between the segments. */
async function listFiles(
  directory: string,
  below: string,
  found: string[],
  limits: TreeLimits,
): Promise<void> {
  for (const one of await readdir(join(directory, below), { withFileTypes: true })) {
    if (one.name.startsWith('.')) continue;
    const path = below === '' ? one.name : `${below}/${one.name}`;
    if (one.isDirectory()) await listFiles(directory, path, found, limits);
    else if (one.isFile()) found.push(path);
    // guard: pinned-files-limited-in-number
    if (found.length > limits.maxPinnedFiles) throw beyond(directory, 'maxPinnedFiles', limits);
  }
}

function beyond(directory: string, limit: keyof TreeLimits, limits: TreeLimits): BulkheadError {
  const what = limit === 'maxPinnedFiles' ? 'files' : 'bytes';
  return new BulkheadError(
    'FILESYSTEM_LIMIT',
    `The files in ${directory} cannot be pinned: there are more than ${limits[limit]} ${what}.`,
    { limit },
  );
}
