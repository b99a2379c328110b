import type { Json } from '../../../sandbox/wire/messages.js';

/**
 * Whether anything in a schema is named like what every object inherits. A default for such a name
 * is taken for given already by what ajv compiles, unless the input inherits nothing.
 */
export function namesWhatIsInherited(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(namesWhatIsInherited);
  return Object.entries(schema).some(
    ([key, value]) => key in Object.prototype || namesWhatIsInherited(value),
  );
}

/** A copy whose objects inherit nothing. The wire's caps bound how deep it goes. */
export function withoutPrototypes(value: unknown): unknown {
  return copyWith(value, () => Object.create(null));
}

/** A copy made of ordinary objects. What is named `__proto__` would set one, and is left out. */
export function withPrototypes(value: unknown): unknown {
  return copyWith(value, () => ({}));
}

function copyWith(value: unknown, make: () => Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => copyWith(member, make));
  const copy = make();
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = copyWith(member, make);
  }
  return copy;
}
