import { Buffer } from './buffer.js';
import { always } from './compartment-globals.js';
import { fileURLToPath } from './file-urls.js';
import { resolve } from './path.js';

/** An option of a function of `fs`. A plain string is the encoding. */
export function option(options: unknown, name: string): unknown {
  if (typeof options === 'string') return name === 'encoding' ? options : undefined;
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
}

/** Content as a buffer, or as text if the options name an encoding. */
export function decode(bytes: Uint8Array, options: unknown): Buffer | string {
  const buffer = Buffer.from(bytes);
  const encoding = option(options, 'encoding');
  return typeof encoding === 'string' && encoding !== 'buffer'
    ? buffer.toString(encoding.toLowerCase())
    : buffer;
}

/** Data to write, as bytes. */
export function encode(data: unknown, options: unknown): Uint8Array {
  if (typeof data === 'string') {
    const encoding = option(options, 'encoding');
    return Buffer.from(data, typeof encoding === 'string' ? encoding : 'utf8');
  }
  if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw Object.assign(
    new TypeError('The "data" argument must be of type string, or bytes in a buffer'),
    { code: 'ERR_INVALID_ARG_TYPE' },
  );
}

/** A path argument, absolute and normal. */
export function toPath(path: unknown): string {
  if (isUrl(path)) return resolve(fileURLToPath(path.href));
  const text = path instanceof Uint8Array ? new (always('TextDecoder'))().decode(path) : path;
  if (typeof text !== 'string') {
    throw Object.assign(new TypeError('The "path" argument must be of type string'), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
  }
  // For an empty path the system reports ENOENT and does not use the working directory.
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

function isUrl(value: unknown): value is { readonly href: string } {
  return typeof value === 'object' && value !== null && 'href' in value;
}
