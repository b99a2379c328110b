import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storage } from '../../src/permissions/unscoped.js';
import { testLaws } from './laws.js';

describe('storage', () => {
  testLaws(storage, fc.constant('true'));

  test('does not have scopes', () => {
    expect(() => storage.parse('data')).toThrow(/is not a valid storage permission/);
  });

  test('the explanation names the quota', () => {
    expect(storage.explain(true)).toBe('Store files in its own directory, up to a quota.');
  });
});
