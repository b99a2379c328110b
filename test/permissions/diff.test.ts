import { expect, test } from 'vitest';
import { diffPermissions } from '../../src/permissions/diff.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';

test('a version that asks for more is wider by exactly that', () => {
  const before = { ...NO_PERMISSIONS, network: ['api.example.com'] };
  const after = { ...before, time: true, network: ['api.example.com', 'evil.test'] };
  const { wider, narrower } = diffPermissions(before, after);
  expect(wider.map(({ kind, scope }) => [kind, scope])).toEqual([
    ['time', 'true'],
    ['network', 'evil.test'],
  ]);
  expect(wider[0]?.sentence).toBe('Tell the time and the date.');
  expect(narrower).toEqual([]);
});

test('a wildcard in place of a name is wider, and takes nothing away', () => {
  const diff = diffPermissions(
    { ...NO_PERMISSIONS, network: ['api.example.com'] },
    { ...NO_PERMISSIONS, network: ['*.example.com'] },
  );
  expect(diff.wider.map(({ scope }) => scope)).toEqual(['*.example.com']);
  expect(diff.narrower).toEqual([]);
});

test('the same scopes in other words are no change', () => {
  const diff = diffPermissions(
    { ...NO_PERMISSIONS, filesystem: ['./data/'], network: ['EXAMPLE.com.'] },
    { ...NO_PERMISSIONS, filesystem: ['data'], network: ['example.com'] },
  );
  expect(diff).toEqual({ wider: [], narrower: [] });
});
