/** Whether two values are deeply equal. `strict` also compares types and prototypes. */
export function isDeepEqual(a: unknown, b: unknown, strict: boolean): boolean {
  return compare(a, b, strict, new Map());
}

type Seen = Map<unknown, unknown>;

function compare(a: unknown, b: unknown, strict: boolean, seen: Seen): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b)) {
    // oxlint-disable-next-line eqeqeq -- what the loose comparison is
    return !strict && (a == b || (a !== a && b !== b));
  }
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return compareContent(a, b, strict, seen) && compareProperties(a, b, strict, seen);
}

function compareContent(a: object, b: object, strict: boolean, seen: Seen): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp && b instanceof RegExp) {
    return String(a) === String(b) && a.lastIndex === b.lastIndex;
  }
  if (a instanceof Error && b instanceof Error) return a.message === b.message && a.name === b.name;
  if (a instanceof Map && b instanceof Map) {
    return (
      a.size === b.size &&
      [...a].every(([key, value]) => {
        if (b.has(key)) return compare(value, b.get(key), strict, seen);
        return [...b].some(
          ([other, item]) =>
            compare(key, other, strict, seen) && compare(value, item, strict, seen),
        );
      })
    );
  }
  if (a instanceof Set && b instanceof Set) {
    return (
      a.size === b.size &&
      [...a].every(
        (item) => b.has(item) || [...b].some((other) => compare(item, other, strict, seen)),
      )
    );
  }
  if (isBoxed(a) || isBoxed(b)) return Object.is(a.valueOf(), b.valueOf());
  return true;
}

function compareProperties(a: object, b: object, strict: boolean, seen: Seen): boolean {
  const keys = ownKeys(a, strict);
  return (
    keys.length === ownKeys(b, strict).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && compare(Reflect.get(a, key), Reflect.get(b, key), strict, seen),
    )
  );
}

function ownKeys(value: object, strict: boolean): (string | symbol)[] {
  const symbols = strict
    ? Object.getOwnPropertySymbols(value).filter((key) =>
        Object.prototype.propertyIsEnumerable.call(value, key),
      )
    : [];
  return [...Object.keys(value), ...symbols];
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
