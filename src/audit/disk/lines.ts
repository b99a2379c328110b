import { open } from 'node:fs/promises';
import type { StoredLine } from '../store.js';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A line that is longer is none of ours. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** The lines of a file, from a place where one begins. What is no UTF-8 comes with what stands for it. */
export async function* readLinesOf(
  path: string,
  from: { readonly offset: number; readonly number: number } = { offset: 0, number: 1 },
): AsyncGenerator<StoredLine & { readonly end: number }> {
  const file = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let { offset, number } = from;
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, offset + rest.length);
      if (bytesRead === 0) break;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
        const line = rest.toString('utf8', start, end);
        offset += end + 1 - start;
        yield { line, file: path, number, end: offset };
        number += 1;
        start = end + 1;
      }
      rest = rest.subarray(start);
      if (rest.length > MAX_LINE_BYTES) break;
    }
    if (rest.length > 0) {
      yield { line: rest.toString('utf8'), file: path, number, end: offset, torn: true };
    }
  } finally {
    await file.close();
  }
}
