import { isObject } from './web-idl.js';

/**
 * Allows assignments that shadow a frozen prototype's members, as on the web. Without it
 * `response.json = …` and `Mine.prototype.constructor = Mine` throw, although they would change the
 * instance. Each member becomes a getter with a setter that defines the property on the assigning
 * object. Lockdown does the same for the language's prototypes. `refuse`: called for an assignment to the frozen
 * object itself.
 */
export function makeOverridable(
  made: unknown,
  refuse: (key: PropertyKey) => void = throwRefusal,
): void {
  if (typeof made !== 'function') return;
  enableAlong(made, refuse);
  enableAlong(made.prototype, refuse);
}

function throwRefusal(key: PropertyKey): never {
  throw new TypeError(`Cannot assign to ${String(key)} of a frozen object`);
}

/** Walks up the prototypes that are ours. The language's are frozen. */
function enableAlong(start: unknown, refuse: (key: PropertyKey) => void): void {
  let at: unknown = start;
  while (isObject(at) && !Object.isFrozen(at)) {
    for (const key of Reflect.ownKeys(at)) enable(at, key, refuse);
    at = Object.getPrototypeOf(at);
  }
}

function enable(holder: object, key: PropertyKey, refuse: (key: PropertyKey) => void): void {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property?.configurable !== true || property.writable !== true) return;
  const value: unknown = property.value;
  /** What was assigned to objects that have this accessor as their own, as a mixin copies it. */
  let copies: WeakMap<object, unknown> | undefined;
  const accessor = {
    get(this: unknown): unknown {
      return copies !== undefined && isObject(this) && copies.has(this) ? copies.get(this) : value;
    },
    set(this: unknown, own: unknown): void {
      if (this === holder) {
        refuse(key);
        return;
      }
      const mine = { value: own, writable: true, enumerable: true, configurable: true };
      if (isObject(this) && Reflect.defineProperty(this, key, mine)) return;
      if (!isObject(this) || Object.isFrozen(this) || !hasSetter(this, key, accessor.set)) {
        throw new TypeError(`Cannot assign to ${String(key)} of this object`);
      }
      copies ??= new WeakMap();
      copies.set(this, own);
    },
  };
  // `harden` walks properties and does not find values behind a getter.
  Object.defineProperty(accessor.get, 'originalValue', { value });
  Object.defineProperty(holder, key, {
    ...accessor,
    enumerable: property.enumerable === true,
    configurable: false,
  });
}

function hasSetter(object: object, key: PropertyKey, set: (value: unknown) => void): boolean {
  return Object.getOwnPropertyDescriptor(object, key)?.set === set;
}
