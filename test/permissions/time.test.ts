import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { time } from '../../src/permissions/time.js';
import { testLaws } from './laws.js';

describe('time', () => {
  testLaws(time, fc.constant('true'));

  test('it is held or not, and has no scope', () => {
    expect(() => time.parse('UTC')).toThrow(/is no time permission: it is held or not/);
  });

  test('a person reads what it is for', () => {
    expect(time.explain(true)).toBe('Tell the time and the date.');
  });
});
