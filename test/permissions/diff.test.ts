import { describe, expect, test } from 'vitest';
import { NO_PERMISSIONS, diffPermissions } from '../../src/permissions/permissions.js';

describe('the diff of permissions', () => {
  test('is wider by exactly the additional requests', () => {
    const before = { ...NO_PERMISSIONS, network: ['api.example.com'] };
    const after = { ...before, time: true, network: ['api.example.com', 'evil.test'] };
    const { wider, narrower } = diffPermissions(before, after);
    expect(wider.map(({ kind, scope }) => [kind, scope])).toEqual([
      ['time', 'true'],
      ['network', 'evil.test'],
    ]);
    expect(wider[0]?.sentence).toBe('Read the time and the date.');
    expect(narrower).toEqual([]);
  });

  test('is wider, with no loss, if a wildcard replaces a name', () => {
    const diff = diffPermissions(
      { ...NO_PERMISSIONS, network: ['api.example.com'] },
      { ...NO_PERMISSIONS, network: ['*.example.com'] },
    );
    expect(diff.wider.map(({ scope }) => scope)).toEqual(['*.example.com']);
    expect(diff.narrower).toEqual([]);
  });

  test('is empty for the same scopes in another notation', () => {
    const diff = diffPermissions(
      { ...NO_PERMISSIONS, fs: ['./data/'], network: ['EXAMPLE.com.'] },
      { ...NO_PERMISSIONS, fs: ['data'], network: ['example.com'] },
    );
    expect(diff).toEqual({ wider: [], narrower: [] });
  });
});
