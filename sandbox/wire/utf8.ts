import type { Utf8 } from './framing.js';

/** As much of Node's `Buffer` as the wire uses: both sides pass theirs. */
export interface BufferPower {
  byteLength(text: string): number;
  isBuffer(bytes: Uint8Array): bytes is BufferLike;
  from(memory: ArrayBufferLike, offset: number, length: number): BufferLike;
}

interface BufferLike extends Uint8Array {
  write(text: string, offset: number): number;
  toString(encoding?: 'utf8', start?: number, end?: number): string;
}

/** UTF-8 by Node's buffers, the fastest that the platform has. */
export function makeUtf8(buffers: BufferPower): Utf8 {
  const wrap = (bytes: Uint8Array): BufferLike =>
    buffers.isBuffer(bytes)
      ? bytes
      : buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    byteLength: (text) => buffers.byteLength(text),
    write: (text, target, offset) => {
      wrap(target).write(text, offset);
    },
    read: (bytes, start, end) => wrap(bytes).toString('utf8', start, end),
  };
}
