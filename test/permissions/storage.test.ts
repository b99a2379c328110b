import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storage } from '../../src/permissions/storage.js';
import { testLaws } from './laws.js';

describe('storage', () => {
  testLaws(storage, fc.constant('true'));

  test('it is held or not, and has no scope', () => {
    expect(() => storage.parse('data')).toThrow(/is no storage permission/);
  });

  test('a person reads that the files are the plugin’s own, and that they are not without end', () => {
    expect(storage.explain(true)).toBe('Keep files in a directory of its own, up to a quota.');
  });
});
