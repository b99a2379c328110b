/**
 * Whether two values of JSON are the same: what `const`, `enum` and `uniqueItems` ask. Stands where
 * ajv would use its own comparison, which calls a value's `valueOf` and `toString` and compares its
 * `constructor`: in JSON these are properties like any other, and a stranger's.
 */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return isObject(a) && isObject(b) && !Array.isArray(b) && equalObjects(a, b);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => equal(member, b[index]));
}

function equalObjects(a: JsonLike, b: JsonLike): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}

type JsonLike = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonLike {
  return typeof value === 'object' && value !== null;
}
