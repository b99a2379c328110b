import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSeededDice, takesPart } from '../../../../src/formats/spindle/council/contribute.js';

describe('dice', () => {
  it('fall the same for the same seed, and within their bounds', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const [a, b] = [makeSeededDice(seed), makeSeededDice(seed)];
        const falls = Array.from({ length: 20 }, () => a());
        expect(Array.from({ length: 20 }, () => b())).toEqual(falls);
        for (const fall of falls) expect(fall >= 0 && fall < 1).toBe(true);
      }),
    );
  });

  it('select no member at 0, every member at 100, and a proportional share between', () => {
    const dice = makeSeededDice(7);
    const count = (chance: number): number =>
      Array.from({ length: 2_000 }, () => takesPart(chance, dice)).filter(Boolean).length;
    expect(count(0)).toBe(0);
    expect(count(-5)).toBe(0);
    expect(count(100)).toBe(2_000);
    expect(count(30)).toBeGreaterThan(500);
    expect(count(30)).toBeLessThan(700);
  });
});
