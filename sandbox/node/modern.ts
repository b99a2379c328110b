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
