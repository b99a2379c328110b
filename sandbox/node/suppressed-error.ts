/**
 * Makes `SuppressedError` an error like the others, where V8 has it. SES neither knows nor permits
 * it, but code needs no global to get one: a `using` whose disposal throws makes it. Untamed, it is
 * an object that all compartments share and may change, and leads to the start realm's own `Error`,
 * which reads stacks. Call this after `lockdown()`.
 */
export function tameSuppressedError(realm: object): void {
  const SuppressedError: unknown = Reflect.get(realm, 'SuppressedError');
  if (typeof SuppressedError !== 'function') return;
  // What the other kinds of errors inherit from: the `Error` that reads no stacks.
  Reflect.setPrototypeOf(SuppressedError, Reflect.getPrototypeOf(TypeError));
  harden(SuppressedError);
}
