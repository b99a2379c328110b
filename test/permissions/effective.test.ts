import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coversAll, effectivePermissions } from '../../src/permissions/effective.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { permissions } from './arbitraries.js';
import { runs } from '../property-runs.js';

test('what is effective was both declared and granted', () => {
  fc.assert(
    fc.property(permissions, permissions, (declared, granted) => {
      const effective = effectivePermissions(declared, granted);
      expect(coversAll(declared, effective)).toBe(true);
      expect(coversAll(granted, effective)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('what was both declared and granted is effective', () => {
  fc.assert(
    fc.property(permissions, permissions, permissions, (declared, granted, use) => {
      const both = coversAll(declared, use) && coversAll(granted, use);
      return !both || coversAll(effectivePermissions(declared, granted), use);
    }),
    { numRuns: runs(2000) },
  );
});

test('granting exactly what was declared takes nothing away', () => {
  fc.assert(
    fc.property(permissions, (declared) =>
      coversAll(effectivePermissions(declared, declared), declared),
    ),
  );
});

test('it does not matter which side is which', () => {
  fc.assert(
    fc.property(permissions, permissions, (a, b) => {
      const [ab, ba] = [effectivePermissions(a, b), effectivePermissions(b, a)];
      return coversAll(ab, ba) && coversAll(ba, ab);
    }),
  );
});

test('scopes that others cover are left out', () => {
  const declared = {
    ...NO_PERMISSIONS,
    filesystem: ['data/a', 'data', './data/'],
    network: ['api.example.com', '*.example.com', 'https://api.example.com'],
  };
  const effective = effectivePermissions(declared, declared);
  expect(effective.filesystem).toEqual(['data']);
  expect(effective.network).toEqual(['*.example.com']);
});

test('nothing comes of a permission that only one side has', () => {
  const all = {
    time: true,
    random: true,
    network: ['example.com'],
    environment: ['HOME'],
    filesystem: ['.'],
    storage: true,
    powers: ['generation'],
  };
  expect(effectivePermissions(all, NO_PERMISSIONS)).toEqual(NO_PERMISSIONS);
  expect(effectivePermissions(NO_PERMISSIONS, all)).toEqual(NO_PERMISSIONS);
});

test('a policy that cannot be read is an error and not an empty grant', () => {
  const policy = { ...NO_PERMISSIONS, network: ['*'] };
  expect(() => effectivePermissions(NO_PERMISSIONS, policy)).toThrow(/cover every host/);
});

test('effective permissions cannot be edited', () => {
  const effective = effectivePermissions(NO_PERMISSIONS, NO_PERMISSIONS);
  expect(Object.isFrozen(effective)).toBe(true);
  expect(Object.isFrozen(effective.network)).toBe(true);
});
