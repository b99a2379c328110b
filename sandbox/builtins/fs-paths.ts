import { fileURLToPath } from './file-urls.js';
import { resolve } from './path.js';
import { always } from './surroundings.js';

/** A path as one of this module's functions was given it, absolute and normal. */
export function toPath(path: unknown): string {
  if (isUrl(path)) return resolve(fileURLToPath(path.href));
  const text = path instanceof Uint8Array ? new (always('TextDecoder'))().decode(path) : path;
  if (typeof text !== 'string') {
    throw Object.assign(new TypeError('The "path" argument must be of type string'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  }
  // Of no path the system says that nothing is there, and not that it is the working directory.
  if (text === '')
    throw Object.assign(new Error("ENOENT: no such file or directory, ''"), {
      code: 'ENOENT',
      path: '',
    });
  if (text.includes('\0')) {
    throw Object.assign(new TypeError('The "path" argument must be a string without null bytes'), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  }
  return resolve(text.startsWith('file:') ? fileURLToPath(text) : text);
}

export function isUrl(value: unknown): value is { readonly href: string } {
  return typeof value === 'object' && value !== null && 'href' in value;
}
