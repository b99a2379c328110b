import { Buffer } from './buffer.js';

/** An option of one of this module's functions. Where it takes text alone, that is the encoding. */
export function option(options: unknown, name: string): unknown {
  if (typeof options === 'string') return name === 'encoding' ? options : undefined;
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
}

/** Content as it is asked for: a buffer, or text where there is an encoding. */
export function decode(bytes: Uint8Array, options: unknown): Buffer | string {
  const buffer = Buffer.from(bytes);
  const encoding = option(options, 'encoding');
  return typeof encoding === 'string' && encoding !== 'buffer'
    ? buffer.toString(encoding.toLowerCase())
    : buffer;
}

/** What is to be written, as bytes. */
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
