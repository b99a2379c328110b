import { isObject } from './web-idl.js';

/**
 * Lets code assign to what instances and subclasses of a class inherit, as it can on the web. A
 * frozen prototype refuses that (`response.json = …` throws, and so does
 * `Mine.prototype.constructor = Mine`), although it is the instance that would change: so what it
 * holds is read through a getter, whose setter gives the assigning object a property of its own.
 * Lockdown does the same for the language's prototypes.
 */
export function makeOverridable(made: unknown): void {
  if (typeof made !== 'function') return;
  enableAlong(made);
  enableAlong(made.prototype);
}

/** Goes up as far as the objects are ours: the language's are frozen. */
function enableAlong(start: unknown): void {
  let at: unknown = start;
  while (isObject(at) && !Object.isFrozen(at)) {
    for (const key of Reflect.ownKeys(at)) enable(at, key);
    at = Object.getPrototypeOf(at);
  }
}

function enable(holder: object, key: PropertyKey): void {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property?.configurable !== true || property.writable !== true) return;
  const value: unknown = property.value;
  const accessor = {
    get: (): unknown => value,
    set(this: unknown, own: unknown): void {
      if (this === holder)
        throw new TypeError(`Cannot assign to ${String(key)} of a frozen object`);
      const mine = { value: own, writable: true, enumerable: true, configurable: true };
      Object.defineProperty(this, key, mine);
    },
  };
  // `harden` walks properties, and would not find what a getter merely answers with.
  Object.defineProperty(accessor.get, 'originalValue', { value });
  Object.defineProperty(holder, key, {
    ...accessor,
    enumerable: property.enumerable === true,
    configurable: false,
  });
}
