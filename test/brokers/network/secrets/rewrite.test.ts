import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeFinder, exactly, spellingsOf } from '../../../../src/brokers/network/secrets/find.js';
import {
  makeRewriter,
  type Replacement,
  rewriteText,
} from '../../../../src/brokers/network/secrets/rewrite.js';
import { processorMs } from '../../../processor-time.js';

const VALUE = 'hunter2-hunter2';
const replacing: readonly Replacement[] = spellingsOf(VALUE).map((spelling) => ({
  finder: makeFinder(spelling),
  by: () => '<gone>',
}));

/** What comes out of a rewriter that is given these pieces. */
function through(pieces: readonly (string | Uint8Array)[], by = replacing): string {
  const rewriter = makeRewriter(by);
  const out = pieces.map((piece) => rewriter.push(Buffer.from(piece as string)));
  return Buffer.concat([...out, rewriter.end()]).toString('latin1');
}

describe('a body that comes in pieces', () => {
  it('comes out the same as one that comes whole, wherever it is cut', () => {
    const encoded = fc.constantFrom(
      VALUE,
      VALUE.toUpperCase(),
      encodeURIComponent(encodeURIComponent(VALUE)),
      Buffer.from(`x${VALUE}`).toString('base64'),
      VALUE.slice(0, 9),
      'hunter2-',
    );
    const filling = fc.oneof(encoded, fc.string({ maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(filling), fc.array(fc.nat(12)), (parts, cuts) => {
        const whole = Buffer.from(parts.join(''));
        let at = 0;
        const pieces = cuts.map((size) => whole.subarray(at, (at += size)));
        expect(through([...pieces, whole.subarray(at)])).toBe(through([whole]));
      }),
    );
  });

  it('holds no part of a value that stood there whole', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(60), (before, after, cut) => {
        const whole = Buffer.from(`${before}${VALUE}${after}`);
        expect(through([whole.subarray(0, cut), whole.subarray(cut)])).not.toContain(VALUE);
      }),
    );
  });

  it('passes on at once what cannot be the beginning of a value', () => {
    const rewriter = makeRewriter(replacing);
    expect(Buffer.from(rewriter.push(Buffer.from('data: one\n\n'))).toString()).toBe(
      'data: one\n\n',
    );
    expect(Buffer.from(rewriter.push(Buffer.from('data: hunt'))).toString()).toBe('data: ');
    expect(Buffer.from(rewriter.push(Buffer.from('ing\n\n'))).toString()).toBe('hunting\n\n');
    expect(rewriter.end()).toHaveLength(0);
  });

  it('gives what was held back at its end', () => {
    expect(through(['so hunter2-', 'hunter'])).toBe('so hunter2-hunter');
  });

  it('preserves every other byte', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(through([bytes])).toBe(Buffer.from(bytes).toString('latin1'));
      }),
    );
  });

  it('returns the same bytes if there is nothing to replace', () => {
    const bytes = Buffer.from('nothing');
    expect(makeRewriter(replacing).push(bytes)).toBe(bytes);
  });

  it('is scrubbed in time that grows with its length, however full of values it is', () => {
    const full = Buffer.from(`${VALUE} `.repeat(20_000));
    const ms = processorMs(() => expect(through([full])).toBe('<gone> '.repeat(20_000)));
    expect(ms).toBeLessThan(5_000);
  });
});

describe('if two texts could be replaced', () => {
  it('the one that begins first is, and then the longer one', () => {
    const by = ['abcd1234', 'bcd12345678', 'abcd12345678'].map((text, index) => ({
      finder: makeFinder(exactly(text)),
      by: () => String(index),
    }));
    expect(rewriteText('--abcd12345678--abcd1234--', by)).toBe('--2--0--');
  });
});

describe('a text', () => {
  it('preserves the positions of characters that are longer in lower case', () => {
    expect(rewriteText(`İİİ ${VALUE.toUpperCase()} İ`, replacing)).toBe('İİİ <gone> İ');
  });
});
