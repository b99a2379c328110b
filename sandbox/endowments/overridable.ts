import { isObject } from './web-idl.js';

/**
 * Allows assignments that shadow a frozen prototype's members, as on the web. Without it
 * `response.json = …` and `Mine.prototype.constructor = Mine` throw, although they would change the
 * instance. Each member becomes a getter with a setter that defines the property on the assigning
 * object. Lockdown does the same for the language's prototypes.
 */
export function makeOverridable(made: unknown): void {
  if (typeof made !== 'function') return;
  enableAlong(made);
  enableAlong(made.prototype);
}

/** Walks up the prototypes that are ours. The language's are frozen. */
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
  // `harden` walks properties and does not find values behind a getter.
  Object.defineProperty(accessor.get, 'originalValue', { value });
  Object.defineProperty(holder, key, {
    ...accessor,
    enumerable: property.enumerable === true,
    configurable: false,
  });
}
