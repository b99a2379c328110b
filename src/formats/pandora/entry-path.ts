import { BulkheadError } from '../../errors.js';

/**
 * An entry's file relative to the plugin's directory, without `.` and `..`. Throws
 * `OUTSIDE_PLUGIN` for a path that leads out; where links lead, the bundler finds out.
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
    `${at}: ${JSON.stringify(entry.slice(0, 200))} is no path inside the plugin. ` +
      'Write one relative to the manifest, with "/" between its segments, like "./src/index.ts".',
    { path: entry.slice(0, 200) },
  );
}
