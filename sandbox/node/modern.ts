import { byteMethods, byteStatics } from './modern-bytes.js';

/** Functions of the language: static ones of a constructor, or methods of its prototype. */
type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

/**
 * Adds what later versions of the language have and this Node lacks, so that every plugin finds the
 * same language. Runs before `lockdown`, which freezes it like the rest. Existing functions stay.
 */
export function modernise(realm: typeof globalThis): void {
  add(realm.Promise, promiseStatics);
  add(realm.Object, { groupBy });
  add(realm.Map, { groupBy: groupIntoMap });
  add(realm.Array, { fromAsync });
  add(realm.Set.prototype, setMethods(realm.Set));
  add(realm.Map.prototype, mapMethods(realm.Map.prototype));
  add(realm.Math, { sumPrecise });
  add(realm.Uint8Array, byteStatics);
  add(realm.Uint8Array.prototype, byteMethods);
  add(realm.WeakMap.prototype, mapMethods(realm.WeakMap.prototype));
}

function add(target: object, methods: Methods): void {
  for (const [name, value] of Object.entries(methods)) {
    if (Object.hasOwn(target, name)) continue;
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
    Object.defineProperty(value, 'name', { value: name });
  }
}

type Settle = (value?: unknown) => void;

const promiseStatics: Methods = {
  withResolvers(this: new (run: (resolve: Settle, reject: Settle) => void) => unknown) {
    let resolve: Settle = () => undefined;
    let reject: Settle = () => undefined;
    const promise = new this((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    return { promise, resolve, reject };
  },
  try(
    this: new (run: (resolve: Settle) => void) => unknown,
    callback: (...args: unknown[]) => unknown,
    ...args: unknown[]
  ) {
    return new this((resolve) => resolve(callback(...args)));
  },
};

type KeyOf = (item: unknown, index: number) => unknown;

const { groupBy, groupIntoMap, fromAsync } = {
  groupBy(items: Iterable<unknown>, keyOf: KeyOf): Record<PropertyKey, unknown[]> {
    const groups: Record<PropertyKey, unknown[]> = Object.create(null);
    let index = 0;
    for (const item of items) {
      const found = keyOf(item, index);
      const key = typeof found === 'symbol' ? found : String(found);
      (groups[key] ??= []).push(item);
      index += 1;
    }
    return groups;
  },
  groupIntoMap(items: Iterable<unknown>, keyOf: KeyOf): Map<unknown, unknown[]> {
    const groups = new Map<unknown, unknown[]>();
    let index = 0;
    for (const item of items) {
      const key = keyOf(item, index);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
      index += 1;
    }
    return groups;
  },
  // Lockdown accepts no async function as an intrinsic.
  fromAsync(items: Many, map?: KeyOf): Promise<unknown[]> {
    return gather(items, map);
  },
};

type Many = AsyncIterable<unknown> | Iterable<unknown> | ArrayLike<unknown>;

async function gather(items: Many, map: KeyOf | undefined): Promise<unknown[]> {
  const list: unknown[] = [];
  const iterable =
    Symbol.asyncIterator in items || Symbol.iterator in items ? items : Array.from(items);
  for await (const item of iterable) {
    list.push(map === undefined ? item : await map(item, list.length));
  }
  return list;
}

/** The sum without the rounding errors of its parts, unless a part of it overflows. */
function sumPrecise(numbers: Iterable<unknown>): number {
  // Exact parts that do not overlap, the smallest first.
  let parts: number[] = [];
  let total = -0;
  let isExact = true;
  for (const number of numbers) {
    if (typeof number !== 'number') throw new TypeError('Math.sumPrecise takes numbers');
    total += number;
    isExact &&= Number.isFinite(number);
    const next: number[] = [];
    let high = number;
    for (const part of parts) {
      const [large, small] = Math.abs(high) < Math.abs(part) ? [part, high] : [high, part];
      high = large + small;
      const low = small - (high - large);
      if (low !== 0) next.push(low);
    }
    parts = [...next, high];
  }
  if (!isExact || !parts.every(Number.isFinite)) return total;
  return total === 0 && Object.is(total, -0) ? total : roundParts(parts);
}

/** The nearest number to the sum of parts; of two, the even one. */
function roundParts(parts: readonly number[]): number {
  let at = parts.length - 1;
  let high = parts[at] ?? 0;
  let low = 0;
  while (at > 0 && low === 0) {
    at -= 1;
    const before = high;
    const part = parts[at] ?? 0;
    high = before + part;
    low = part - (high - before);
  }
  const under = parts[at - 1] ?? 0;
  if (at > 0 && ((low < 0 && under < 0) || (low > 0 && under > 0))) {
    const next = high + low * 2;
    if (low * 2 === next - high) return next;
  }
  return high;
}

interface MapMethods {
  get(key: unknown): unknown;
  set(key: unknown, value: unknown): unknown;
  has(key: unknown): boolean;
}

/** Methods that return the value of a key, and first insert one if there is none. */
function mapMethods(prototype: Map<unknown, unknown> | WeakMap<WeakKey, unknown>): Methods {
  const { get, set, has }: MapMethods = prototype;
  const find = (own: unknown, key: unknown, make: () => unknown): unknown => {
    if (Reflect.apply(has, own, [key])) return Reflect.apply(get, own, [key]);
    const value = make();
    Reflect.apply(set, own, [key, value]);
    return value;
  };
  return {
    getOrInsert(key: unknown, value: unknown) {
      return find(this, key, () => value);
    },
    getOrInsertComputed(key: unknown, make: (key: unknown) => unknown) {
      return find(this, key, () => make(key));
    },
  };
}

/** The argument of a set's methods: a set, or an object like one. */
interface SetLike {
  readonly size: number;
  has(value: unknown): boolean;
  keys(): Iterator<unknown>;
}

function setMethods(SetOf: SetConstructor): Methods {
  const { has } = SetOf.prototype;
  const inOwn = (own: Set<unknown>, value: unknown): boolean => Reflect.apply(has, own, [value]);
  const all = (other: SetLike): unknown[] => {
    const values: unknown[] = [];
    const keys = other.keys();
    for (let step = keys.next(); step.done !== true; step = keys.next()) values.push(step.value);
    return values;
  };
  return {
    union(this: Set<unknown>, other: SetLike) {
      return new SetOf([...this, ...all(other)]);
    },
    intersection(this: Set<unknown>, other: SetLike) {
      return new SetOf([...this].filter((value) => other.has(value)));
    },
    difference(this: Set<unknown>, other: SetLike) {
      return new SetOf([...this].filter((value) => !other.has(value)));
    },
    symmetricDifference(this: Set<unknown>, other: SetLike) {
      const theirs = all(other).filter((value) => !inOwn(this, value));
      return new SetOf([...[...this].filter((value) => !other.has(value)), ...theirs]);
    },
    isSubsetOf(this: Set<unknown>, other: SetLike) {
      return this.size <= other.size && [...this].every((value) => other.has(value));
    },
    isSupersetOf(this: Set<unknown>, other: SetLike) {
      return all(other).every((value) => inOwn(this, value));
    },
    isDisjointFrom(this: Set<unknown>, other: SetLike) {
      return ![...this].some((value) => other.has(value));
    },
  };
}
