import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionKind } from '../../src/permissions/kind.js';
import { runs } from '../property-runs.js';

/** Tests the laws of `PermissionKind` with scopes parsed from `texts`. */
export function testLaws<Scope>(kind: PermissionKind<Scope>, texts: fc.Arbitrary<string>): void {
  const scopes = texts.map(kind.parse);
  const { covers, attenuate, format, parse } = kind;

  test('covers is reflexive', () => {
    fc.assert(fc.property(scopes, (a) => covers(a, a)));
  });

  test('covers is transitive', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (a, b, c) => {
        const chained = covers(a, b) && covers(b, c);
        return !chained || covers(a, c);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('attenuation is covered by both sides', () => {
    fc.assert(
      fc.property(scopes, scopes, (a, b) => {
        const both = attenuate(a, b);
        return both === undefined || (covers(a, both) && covers(b, both));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('attenuation leaves as much as both sides share', () => {
    fc.assert(
      fc.property(scopes, scopes, scopes, (a, b, c) => {
        const shared = covers(a, c) && covers(b, c);
        const both = attenuate(a, b);
        return !shared || (both !== undefined && covers(both, c));
      }),
      { numRuns: runs(2000) },
    );
  });

  test('parse reads what format wrote', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        expect(parse(format(scope))).toEqual(scope);
      }),
    );
  });
}
