import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { time } from '../../src/permissions/unscoped.js';
import { testLaws } from './laws.js';

describe('time', () => {
  testLaws(time, fc.constant('true'));

  test('does not have scopes', () => {
    expect(() => time.parse('UTC')).toThrow(
      /is not a valid time permission: it does not have scopes/,
    );
  });

  test('the explanation names the time and the date', () => {
    expect(time.explain(true)).toBe('Read the time and the date.');
  });
});
