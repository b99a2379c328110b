import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { random } from '../../src/permissions/random.js';
import { testLaws } from './laws.js';

describe('random', () => {
  testLaws(random, fc.constant('true'));

  test('it is held or not, and has no scope', () => {
    expect(() => random.parse('crypto')).toThrow(/is no random permission/);
  });

  test('a person reads that it is not for cryptography', () => {
    expect(random.explain(true)).toBe('Draw random numbers (not for cryptography).');
  });
});
