import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coversAll, effectivePermissions } from '../../src/permissions/grant.js';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { permissions } from './arbitraries.js';
import { runs } from '../property-runs.js';

describe('effective permissions', () => {
  test('were both declared and granted', () => {
    fc.assert(
      fc.property(permissions, permissions, (declared, granted) => {
        const effective = effectivePermissions(declared, granted);
        expect(coversAll(declared, effective)).toBe(true);
        expect(coversAll(granted, effective)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('include everything that was both declared and granted', () => {
    fc.assert(
      fc.property(permissions, permissions, permissions, (declared, granted, use) => {
        const both = coversAll(declared, use) && coversAll(granted, use);
        return !both || coversAll(effectivePermissions(declared, granted), use);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('equal the declared ones if exactly these are granted', () => {
    fc.assert(
      fc.property(permissions, (declared) =>
        coversAll(effectivePermissions(declared, declared), declared),
      ),
    );
  });

  test('do not depend on the order of the two sides', () => {
    fc.assert(
      fc.property(permissions, permissions, (a, b) => {
        const [ab, ba] = [effectivePermissions(a, b), effectivePermissions(b, a)];
        return coversAll(ab, ba) && coversAll(ba, ab);
      }),
    );
  });

  test('leave out scopes that others cover', () => {
    const declared = {
      ...NO_PERMISSIONS,
      fs: ['data/a', 'data', './data/'],
      network: ['api.example.com', '*.example.com', 'https://api.example.com'],
    };
    const effective = effectivePermissions(declared, declared);
    expect(effective.fs).toEqual(['data']);
    expect(effective.network).toEqual(['*.example.com']);
  });

  test('do not include a permission of one side only', () => {
    const all = {
      time: true,
      random: true,
      network: ['example.com'],
      env: ['HOME'],
      fs: ['.'],
      storage: true,
      powers: ['generation'],
    };
    expect(effectivePermissions(all, NO_PERMISSIONS)).toEqual(NO_PERMISSIONS);
    expect(effectivePermissions(NO_PERMISSIONS, all)).toEqual(NO_PERMISSIONS);
  });

  test('are an error, not an empty grant, if the policy is not readable', () => {
    const policy = { ...NO_PERMISSIONS, network: ['*'] };
    expect(() => effectivePermissions(NO_PERMISSIONS, policy)).toThrow(/cover every host/);
  });

  test('cannot be edited', () => {
    const effective = effectivePermissions(NO_PERMISSIONS, NO_PERMISSIONS);
    expect(Object.isFrozen(effective)).toBe(true);
    expect(Object.isFrozen(effective.network)).toBe(true);
  });
});
