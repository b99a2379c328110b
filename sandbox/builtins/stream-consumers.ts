import { Buffer } from './buffer.js';
import { always } from './compartment-globals.js';
import { offer } from './denied.js';

export async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk)));
  }
  return Buffer.concat(chunks);
}

const text = async (stream: AsyncIterable<unknown>): Promise<string> =>
  (await bytesOf(stream)).toString();

/** `node:stream/consumers`: whole streams as one value. */
export const builtin: object = offer('stream/consumers', {
  arrayBuffer: async (stream: AsyncIterable<unknown>): Promise<unknown> => {
    const { buffer, byteOffset, byteLength } = await bytesOf(stream);
    return buffer.slice(byteOffset, byteOffset + byteLength);
  },
  blob: async (stream: AsyncIterable<unknown>): Promise<unknown> =>
    new (always('Blob'))([await bytesOf(stream)]),
  buffer: bytesOf,
  json: async (stream: AsyncIterable<unknown>): Promise<unknown> => JSON.parse(await text(stream)),
  text,
});
