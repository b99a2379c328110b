import { isRecord } from '../../../sandbox/wire/json.js';

/**
 * Whether two JSON values are equal, for `const`, `enum` and `uniqueItems`. Replaces ajv's own
 * comparison, which calls a value's `valueOf` and `toString` and compares its `constructor`. In
 * untrusted JSON these are ordinary properties.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return isRecord(a) && isRecord(b) && equalObjects(a, b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => equal(member, b[index]));
}

function equalObjects(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
