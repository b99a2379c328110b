import { describe, expect, it } from 'vitest';
import type { Measure } from '../../bench/measure.js';
import { howMuchWorse, mildest, SLACK, tooMuch } from '../../bench/regressions.js';

const timed = (ratio: number): Measure => ({ work: 'small', unit: 'µs', ours: ratio, ratio });
const rated = (ratio: number): Measure => ({ work: 'piped', unit: 'calls/s', ours: ratio, ratio });

describe('a ratio that is held against the one that was kept', () => {
  it('is worse when a time is longer, and when a rate is lower', () => {
    expect(howMuchWorse([timed(3), rated(0.25)], { small: 1.5, piped: 0.5 })).toEqual({
      small: 2,
      piped: 2,
    });
  });

  it('fails when a call takes twice as long as it did', () => {
    expect(tooMuch(howMuchWorse([timed(3), rated(0.5)], { small: 1.5, piped: 0.5 }))).toEqual([
      'small',
    ]);
  });

  it('passes when it is better, or worse by no more than the slack', () => {
    expect(tooMuch(howMuchWorse([timed(0.1)], { small: 1.5 }))).toEqual([]);
    expect(tooMuch(howMuchWorse([timed(1.5 * SLACK - 0.01)], { small: 1.5 }))).toEqual([]);
  });

  it('fails when what was kept is no longer measured, or comes to nothing', () => {
    expect(tooMuch(howMuchWorse([], { small: 1.5 }))).toEqual(['small']);
    expect(tooMuch(howMuchWorse([timed(Number.NaN)], { small: 1.5 }))).toEqual(['small']);
  });
});

describe('several attempts', () => {
  it('fail only for what was too much in each of them', () => {
    const attempts = [
      { small: 2, piped: 2 },
      { small: 2.5, piped: 1 },
    ];
    expect(tooMuch(mildest(attempts))).toEqual(['small']);
  });
});
