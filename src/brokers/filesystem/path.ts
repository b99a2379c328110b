import { isRecord } from '../../../sandbox/wire/parse.js';
import type { FilesystemLimits } from './limits.js';
import type { Refusals } from './refusals.js';

/** Reads the path out of what a guest sent as the params of `readFile`. */
export function parsePath(params: unknown, limits: FilesystemLimits, refusals: Refusals): string {
  const path = isRecord(params) ? params['path'] : undefined;
  if (typeof path !== 'string') throw refusals.malformed('is not a string');
  if (path === '') throw refusals.malformed('is empty');
  if (Buffer.byteLength(path) > limits.maxPathBytes) {
    throw refusals.limit('maxPathBytes', 'its path is too long');
  }
  // The system would stop reading here, and open another file than the one that was checked.
  if (path.includes('\0')) throw refusals.malformed('holds a NUL character');
  // Lone surrogates turn into U+FFFD on the way to the system: again another file.
  if (/\p{Surrogate}/u.test(path)) throw refusals.malformed('is not well-formed text');
  if (/^file:/i.test(path)) throw refusals.malformed('is a URL. A path is written without "file:"');
  return path;
}
