import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePiece, makePieceReader, NOTHING } from '../../../sandbox/wire/co-residents.js';

const allocate = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** What was read: bytes joined by number in the order of their first, and turns. */
function read(bytes: Uint8Array, cuts: readonly number[]): (string | number)[][] {
  const seen: (string | number)[][] = [];
  const reader = makePieceReader({
    bytes: (number, piece) => {
      const last = seen.at(-1);
      if (last?.[0] === number && last[1] !== 'turn') last.push(...piece);
      else seen.push([number, ...piece]);
    },
    empty: (number) => seen.push([number, 'turn']),
  });
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  let at = 0;
  for (const end of ends.toSorted((a, b) => a - b)) {
    reader(bytes.subarray(at, end));
    at = end;
  }
  return seen;
}

describe('the pipe of a shared guest', () => {
  it('carries each number’s bytes in order, however they are cut', () => {
    const pieces = fc.array(fc.tuple(fc.nat(3), fc.uint8Array({ maxLength: 20 })));
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(), { maxLength: 8 }), (sent, cuts) => {
        const wire = Buffer.concat(
          sent.map(([number, bytes]) => makePiece(number, bytes, allocate)),
        );
        expect(read(wire, cuts)).toEqual(read(wire, []));
        const total = sent.reduce((sum, [, bytes]) => sum + bytes.length, 0);
        const turns = sent.filter(([, bytes]) => bytes.length === 0).length;
        const seen = read(wire, cuts);
        expect(seen.filter(([, what]) => what === 'turn')).toHaveLength(turns);
        const got = seen.filter(([, what]) => what !== 'turn').map((one) => one.length - 1);
        expect(got.reduce((sum, count) => sum + count, 0)).toBe(total);
      }),
    );
  });

  it('sets no memory aside for a length that is only claimed', () => {
    const claim = makePiece(1, new Uint8Array([7]), allocate);
    new DataView(claim.buffer).setUint32(4, 0xff_ff_ff_ff, true);
    expect(read(claim, [])).toEqual([[1, 7]]);
  });

  it('says nothing but whose turn it is in an empty piece', () => {
    expect(read(makePiece(2, NOTHING, allocate), [3])).toEqual([[2, 'turn']]);
  });
});
