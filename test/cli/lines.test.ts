import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from '../../src/cli/read-lines.js';

async function read(
  chunks: readonly Uint8Array[],
  maxBytes = 1000,
): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  for await (const line of readLines(feed(chunks), maxBytes)) lines.push(line);
  return lines;
}

async function* feed(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  // One buffer used again and again, as some readers do.
  const buffer = new Uint8Array(4096);
  for (const chunk of chunks) {
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
  }
}

describe('lines of standard input', () => {
  it('come out the same however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 })),
        fc.integer({ min: 1, max: 7 }),
        async (texts, size) => {
          const bytes = new TextEncoder().encode(texts.join('\n'));
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
            bytes.slice(index * size, (index + 1) * size),
          );
          const expected = texts
            .join('\n')
            .split('\n')
            .filter((text) => text.trim() !== '');
          expect(await read(chunks)).toEqual(expected);
        },
      ),
    );
  });

  it('are dropped if they are too long, and the next one is whole', async () => {
    const bytes = new TextEncoder().encode(`${'x'.repeat(30)}\nshort\n`);
    expect(await read([bytes.slice(0, 15), bytes.slice(15)], 10)).toEqual([undefined, 'short']);
  });
});
