import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WireViolation } from '../../../sandbox/wire/failure.js';
import { makeFrameReader } from '../../../sandbox/wire/framing.js';
import { FROM_GUEST } from '../../../sandbox/wire/limits.js';
import { chunkFrame, rawFrame, utf8 } from './loopback.js';

type Seen = { message: string } | { chunk: number; bytes: number[] };

function read(pieces: readonly Uint8Array[], limits = FROM_GUEST): Seen[] {
  const seen: Seen[] = [];
  const reader = makeFrameReader(utf8, limits, {
    message: (text) => seen.push({ message: text }),
    chunk: (id, bytes) => seen.push({ chunk: id, bytes: [...bytes] }),
  });
  for (const piece of pieces) reader(piece);
  return seen;
}

const arbFrame = fc.oneof(
  fc.string().map((text) => ({ bytes: rawFrame(text), seen: { message: text } })),
  fc
    .tuple(fc.integer({ min: 0, max: 0xffffffff }), fc.uint8Array({ maxLength: 300 }))
    .map(([id, bytes]) => ({
      bytes: chunkFrame(id, bytes),
      seen: { chunk: id, bytes: [...bytes] },
    })),
);

describe('the frame reader', () => {
  it('returns frames whole and in order, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(arbFrame), fc.array(fc.integer({ min: 1, max: 50 })), (frames, cuts) => {
        const all = Buffer.concat(frames.map(({ bytes }) => bytes));
        const pieces: Uint8Array[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(all.subarray(at, at + cut));
          at += cut;
        }
        pieces.push(all.subarray(at));
        expect(read(pieces)).toEqual(frames.map(({ seen }) => seen));
      }),
    );
  });

  it('reads any bytes as frames, an unfinished frame, or a violation', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (pieces) => {
        try {
          read(pieces);
        } catch (error) {
          expect(error).toBeInstanceOf(WireViolation);
        }
      }),
    );
  });

  it('refuses a length over the cap at the header, before the body arrives', () => {
    const header = rawFrame('', 0, FROM_GUEST.maxMessageBytes + 1);
    expect(() => read([header])).toThrow(WireViolation);
  });

  it('refuses an unknown kind at the header', () => {
    for (const kind of [2, 7, 255]) {
      expect(() => read([rawFrame('', kind, 8)])).toThrow(/a frame of kind/);
    }
  });

  it('refuses a chunk that is too short for its stream id', () => {
    expect(() => read([rawFrame(new Uint8Array(3), 1)])).toThrow(WireViolation);
  });

  it('returns chunks that do not share memory with the read buffer', () => {
    const piece = chunkFrame(1, new Uint8Array([1, 2, 3]));
    const seen: Uint8Array[] = [];
    makeFrameReader(utf8, FROM_GUEST, {
      message: () => {},
      chunk: (_id, bytes) => seen.push(bytes),
    })(piece);
    piece.fill(9);
    expect(seen[0]).toEqual(new Uint8Array([1, 2, 3]));
  });
});
