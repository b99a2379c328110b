import type { ByteSource } from '../wire/streams.js';
import { joinBytes } from './bytes.js';

/** Reads a source to its end. Over `maxBytes` it cancels the source and throws `tooMany()`. */
export async function collectBytes(
  source: ByteSource,
  maxBytes: number,
  tooMany: () => Error,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = await source.pull();
    if (part === undefined) return joinBytes(parts);
    size += part.length;
    if (size > maxBytes) {
      source.cancel('more bytes than the guest takes');
      throw tooMany();
    }
    parts.push(part);
  }
}
