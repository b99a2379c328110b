import { describe, expect, it } from 'vitest';
import type { Measure } from '../../bench/measure.js';
import { howMuchWorse, mildest, SLACK, regressionsOf } from '../../bench/regressions.js';

const timed = (ratio: number): Measure => ({ work: 'small', unit: 'µs', ours: ratio, ratio });
const rated = (ratio: number): Measure => ({ work: 'piped', unit: 'calls/s', ours: ratio, ratio });

describe('a ratio compared with the baseline', () => {
  it('is worse if a time is longer, or a rate is lower', () => {
    expect(howMuchWorse([timed(3), rated(0.25)], { small: 1.5, piped: 0.5 })).toEqual({
      small: 2,
      piped: 2,
    });
  });

  it('fails if a call takes twice as long', () => {
    expect(regressionsOf(howMuchWorse([timed(3), rated(0.5)], { small: 1.5, piped: 0.5 }))).toEqual(
      ['small'],
    );
  });

  it('passes if it is better, or worse within the slack', () => {
    expect(regressionsOf(howMuchWorse([timed(0.1)], { small: 1.5 }))).toEqual([]);
    expect(regressionsOf(howMuchWorse([timed(1.5 * SLACK - 0.01)], { small: 1.5 }))).toEqual([]);
  });

  it('fails if a work of the baseline is missing, or has no value', () => {
    expect(regressionsOf(howMuchWorse([], { small: 1.5 }))).toEqual(['small']);
    expect(regressionsOf(howMuchWorse([timed(Number.NaN)], { small: 1.5 }))).toEqual(['small']);
  });
});

describe('several attempts', () => {
  it('fail only for a work that was too slow in each of them', () => {
    const attempts = [
      { small: 2, piped: 2 },
      { small: 2.5, piped: 1 },
    ];
    expect(regressionsOf(mildest(attempts))).toEqual(['small']);
  });
});
