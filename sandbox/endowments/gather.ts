import type { ByteSource } from '../wire/streams.js';
import { joinBytes } from './bytes.js';

/** All that a source gives, at most so many bytes; over them it is cancelled, and `tooMany` thrown. */
export async function gather(
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
