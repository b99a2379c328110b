import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { random } from '../../src/permissions/unscoped.js';
import { testLaws } from './laws.js';

describe('random', () => {
  testLaws(random, fc.constant('true'));

  test('does not have scopes', () => {
    expect(() => random.parse('crypto')).toThrow(/is not a valid random permission/);
  });

  test('the explanation says that it is not for cryptography', () => {
    expect(random.explain(true)).toBe('Draw random numbers (not for cryptography).');
  });
});
