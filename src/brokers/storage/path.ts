import type { StorageLimits } from './limits.js';
import type { Refusals } from './refusals.js';

/**
 * A path in a plugin's storage, as the names on the way: none of them leads up, and none is a path
 * of its own. The empty list is the area itself.
 */
export type Segments = readonly string[];

/** Reads a path that a plugin wrote. Throws a refusal that says what is wrong with it. */
export function parsePath(path: unknown, limits: StorageLimits, refusals: Refusals): Segments {
  if (typeof path !== 'string') throw refusals.malformed('is not a string');
  if (Buffer.byteLength(path) > limits.maxPathBytes) {
    throw refusals.limit('maxPathBytes', 'its path is too long');
  }
  const why = reasonAgainst(path);
  if (why !== undefined) throw refusals.malformed(why);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME_BYTES)) {
    throw refusals.limit('maxPathBytes', `a name in its path is longer than ${MAX_NAME_BYTES}`);
  }
  if (segments.length > limits.maxDepth) {
    throw refusals.limit('maxDepth', 'its path is too deep');
  }
  return segments;
}

/** What every disk takes. */
const MAX_NAME_BYTES = 255;

function reasonAgainst(path: string): string | undefined {
  if (path.includes('\0')) return 'holds a NUL character';
  // Lone surrogates turn into U+FFFD on the way to the system: another file.
  if (/\p{Surrogate}/u.test(path)) return 'is not well-formed text';
  // oxlint-disable-next-line no-control-regex -- exactly these characters are what is refused
  if (/[\u0001-\u001f\u007f]/.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a "\\". Write "/" between the names';
  if (path.startsWith('/')) return 'is absolute. Paths in storage begin at its top';
  if (path.split('/').includes('..')) return 'leads up with ".."';
  return undefined;
}

/** A key of the enclave: one name, of characters that are themselves on every disk. */
export function parseKey(key: unknown, refusals: Refusals): Segments {
  if (typeof key === 'string' && KEY.test(key) && key !== '.' && key !== '..') return [key];
  throw refusals.malformed('is no key of the enclave: 1 to 128 letters, digits, "_", "-" and "."');
}

const KEY = /^[a-zA-Z0-9_\-.]{1,128}$/;
