import { isAbsolute, relative, sep } from 'node:path';
import { BulkheadError } from '../errors.js';
import type { DirectoryReader } from './format.js';

/**
 * Reads a file in a plugin's directory; `undefined` if it does not exist. `root` is a real path.
 * Throws `OUTSIDE_PLUGIN` for a link that leads out, because error messages would quote a host
 * file.
 */
export async function readOwnFile(
  reader: DirectoryReader,
  root: string,
  name: string,
  maxBytes: number,
): Promise<string | undefined> {
  const file = await reader.realpathIn(root, name);
  if (file === undefined) return undefined;
  // guard: vellum-manifest-inside-plugin
  if (isInside(root, file)) return reader.readFile(file, maxBytes);
  throw new BulkheadError(
    'OUTSIDE_PLUGIN',
    `${name} of the plugin in ${root} is a link that leads out of it. Put the file itself there.`,
    { path: name },
  );
}

/** Whether a real path is inside a directory, which is also given by its real path. */
export function isInside(root: string, path: string): boolean {
  // The common case, without `relative`: both are real paths.
  if (path.startsWith(root + sep)) return true;
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * An entry's path relative to the plugin's directory, without `.` and `..`. Throws `OUTSIDE_PLUGIN`
 * for a path that leads out. The bundler checks the targets of links.
 */
export function readEntryPath(entry: string, at: string): string {
  const segments: string[] = [];
  let outside = entry.startsWith('/') || /^[A-Za-z]:/.test(entry);
  for (const segment of entry.split('/')) {
    if (segment === '..') outside ||= segments.pop() === undefined;
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  // oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
  if (!outside && !/[\u0000-\u001f\u007f\\]/.test(entry)) return segments.join('/') || '.';
  throw new BulkheadError(
    'OUTSIDE_PLUGIN',
    `${at}: ${JSON.stringify(entry.slice(0, 200))} is not a path inside the plugin. ` +
      'Write one relative to the manifest, with "/" between its segments, like "./src/index.ts".',
    { path: entry.slice(0, 200) },
  );
}
