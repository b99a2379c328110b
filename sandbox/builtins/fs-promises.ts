import { Buffer } from './buffer.js';
import { offer, refusal } from './denied.js';
import { fsConstants } from './os-constants.js';
import { WORKING_DIRECTORY } from './path.js';
import { always, surrounding } from './surroundings.js';

/**
 * Reads a file with the compartment's `readFile`, the only file power that there is: text, UTF-8.
 * Without an encoding the answer is a buffer over that text.
 */
export async function readFile(path: unknown, options?: unknown): Promise<string | Buffer> {
  const read = surrounding('readFile');
  if (read === undefined) throw refusal('fs', 'readFile');
  const text = await read(toPath(path));
  const encoding = encodingIn(options);
  if (encoding === undefined) return Buffer.from(text);
  return encoding === 'utf8' || encoding === 'utf-8' ? text : Buffer.from(text).toString(encoding);
}

/** A path as `readFile` takes it: the plugin's own files relative to its directory. */
function toPath(path: unknown): string {
  const text = isUrl(path) ? path.href : String(path);
  const plain = text.startsWith('file:')
    ? decodeURIComponent(new (always('URL'))(text).pathname)
    : text;
  return plain.startsWith(`${WORKING_DIRECTORY}/`)
    ? plain.slice(WORKING_DIRECTORY.length + 1)
    : plain;
}

function encodingIn(options: unknown): string | undefined {
  if (typeof options === 'string') return options.toLowerCase();
  if (typeof options !== 'object' || options === null || !('encoding' in options)) return undefined;
  return typeof options.encoding === 'string' ? options.encoding.toLowerCase() : undefined;
}

function isUrl(value: unknown): value is { readonly href: string } {
  return typeof value === 'object' && value !== null && 'href' in value;
}

export const builtin: object = offer('fs/promises', { readFile, constants: fsConstants });
