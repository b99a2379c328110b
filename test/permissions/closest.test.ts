import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closest } from '../../src/permissions/closest.js';
import { processorMs } from '../processor-time.js';

test('the candidate with the fewest errors is chosen', () => {
  expect(closest('api.exampel.com', ['api.sample.com', 'api.example.com'])).toBe('api.example.com');
});

test('a candidate with too many errors for the length of the text is not chosen', () => {
  expect(closest('abc', ['xyz'])).toBeUndefined();
  expect(closest('a.test', ['b.test'])).toBe('b.test');
  expect(closest('aa.test', ['bb.test'])).toBeUndefined();
});

test('the text itself is its own closest', () => {
  expect(closest('a.test', ['b.test', 'a.test', 'c.test'])).toBe('a.test');
});

/** Levenshtein's distance as the textbooks have it. */
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

test('a candidate is chosen where its errors are a fifth of the text or fewer, one at least and four at most', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 24 });
  fc.assert(
    fc.property(text, text, (wanted, candidate) => {
      const few = Math.min(4, Math.max(1, Math.floor(wanted.length / 5)));
      const chosen = closest(wanted, [candidate]);
      expect(chosen).toBe(distance(wanted, candidate) <= few ? candidate : undefined);
    }),
  );
});

test('texts as long as a path may be, and almost alike, take no time to speak of', () => {
  const path = 'a'.repeat(4_000);
  const wanted = `${path.slice(0, 1_000)}b${path.slice(1_001, 3_000)}b${path.slice(3_001)}`;
  const ms = processorMs(() => {
    expect(closest(wanted, Array(60).fill(`${path}a`))).toBe(`${path}a`);
  });
  // With a table of all their characters it is some ten seconds.
  expect(ms).toBeLessThan(2_000);
});
