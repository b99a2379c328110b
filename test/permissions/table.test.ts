import { describe, expect, test } from 'vitest';
import { permissionKinds, permissionNames, scopeTexts } from '../../src/permissions/table.js';

describe('the table of permissions', () => {
  test('lists every kind under its own name', () => {
    for (const name of permissionNames) expect(permissionKinds[name].name).toBe(name);
    expect([...permissionNames].toSorted()).toEqual(Object.keys(permissionKinds).toSorted());
    expect(Object.keys(scopeTexts)).toEqual(Object.keys(permissionKinds));
  });

  test('maps the manifest keys fs and env to their kinds', () => {
    expect(permissionNames).toEqual([
      'time',
      'random',
      'storage',
      'env',
      'fs',
      'network',
      'powers',
    ]);
  });
});
