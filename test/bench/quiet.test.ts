import { describe, expect, it } from 'vitest';
import { judgeQuiet, spreadOf } from '../../bench/quiet.js';

describe('a machine', () => {
  it('is quiet with little load and even rounds', () => {
    expect(judgeQuiet(0.7, 1.5)).toBeUndefined();
  });

  it('is not quiet while other processes want to run', () => {
    expect(judgeQuiet(3.2, 1)).toContain('its load was 3.2');
  });

  it('is not quiet if rounds of the same work differ', () => {
    expect(judgeQuiet(0, 2)).toContain('2.0 times the fastest');
    expect(spreadOf([[1, 1, 9], [2, 2], [1.5]])).toBe(2);
  });
});
