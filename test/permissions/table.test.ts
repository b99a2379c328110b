import { expect, test } from 'vitest';
import { permissionKinds, permissionNames, scopeTexts } from '../../src/permissions/table.js';

test('every kind is listed under its own name', () => {
  for (const name of permissionNames) expect(permissionKinds[name].name).toBe(name);
  expect([...permissionNames].toSorted()).toEqual(Object.keys(permissionKinds).toSorted());
  expect(Object.keys(scopeTexts)).toEqual(Object.keys(permissionKinds));
});

test('manifests write fs and env, and the kinds say so', () => {
  const written = permissionNames.map((name) => permissionKinds[name].written);
  expect(written).toEqual(['time', 'random', 'storage', 'env', 'fs', 'network', 'powers']);
});
