import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean } from '../../src/did-you-mean.js';
import { processorMs } from '../processor-time.js';

describe('didYouMean', () => {
  test('chooses the candidate with the fewest errors', () => {
    expect(didYouMean('api.exampel.com', ['api.sample.com', 'api.example.com'])).toBe(
      'api.example.com',
    );
  });

  test('does not choose a candidate with too many errors for the length of the text', () => {
    expect(didYouMean('abc', ['xyz'])).toBeUndefined();
    expect(didYouMean('a.test', ['b.test'])).toBe('b.test');
    expect(didYouMean('aa.test', ['bb.test'])).toBeUndefined();
  });

  test('chooses the text itself if it is a candidate', () => {
    expect(didYouMean('a.test', ['b.test', 'a.test', 'c.test'])).toBe('a.test');
  });

  /** Levenshtein distance, without optimisations. */
  function distance(from: string, to: string): number {
    const rows = Array.from({ length: from.length + 1 }, (_, i) => [i]);
    for (let j = 1; j <= to.length; j += 1) rows[0]?.push(j);
    const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
    for (let i = 1; i <= from.length; i += 1) {
      for (let j = 1; j <= to.length; j += 1) {
        const changed = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
        rows[i]?.push(Math.min(changed, at(i - 1, j) + 1, at(i, j - 1) + 1));
      }
    }
    return at(from.length, to.length);
  }

  /** The text with each two neighbours in the other order. */
  function swaps(text: string): readonly string[] {
    return Array.from(
      { length: Math.max(0, text.length - 1) },
      (_, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
    );
  }

  test('counts two neighbours in the wrong order as one error', () => {
    expect(didYouMean('netwrok', ['network', 'storage'])).toBe('network');
    expect(didYouMean('tmie', ['time'])).toBe('time');
    expect(didYouMean('tmei', ['time'])).toBeUndefined();
    expect(didYouMean('time', ['tmie', 'time'])).toBe('time');
  });

  test('accepts errors of up to a fifth of the text, at least one and at most four', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 24 });
    fc.assert(
      fc.property(text, text, (wanted, candidate) => {
        const few = Math.min(4, Math.max(1, Math.floor(wanted.length / 5)));
        const chosen = didYouMean(wanted, [candidate]);
        const isClose = distance(wanted, candidate) <= few || swaps(wanted).includes(candidate);
        expect(chosen).toBe(isClose ? candidate : undefined);
      }),
    );
  });

  test('does not compare texts of over 256 characters', () => {
    const path = 'a'.repeat(256);
    expect(didYouMean(path, [`${path.slice(1)}b`])).toBe(`${path.slice(1)}b`);
    expect(didYouMean(`${path}a`, [`${path}b`])).toBeUndefined();
  });

  test('compares long similar texts quickly', () => {
    const text = `${'a'.repeat(250)}b`;
    const ms = processorMs(() => {
      expect(didYouMean(text, Array(1_000).fill('a'.repeat(252)))).toBe('a'.repeat(252));
    });
    expect(ms).toBeLessThan(1_000);
  });
});
