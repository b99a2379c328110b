/**
 * Tames `SuppressedError`, if V8 has it. SES does not know it, but code needs no global to get one: a
 * `using` whose disposal throws makes it. Untamed, all compartments share it and can change it, and it
 * leads to the start realm's `Error`, which reads stacks. Call this after `lockdown()`.
 */
export function tameSuppressedError(realm: object): void {
  const SuppressedError: unknown = Reflect.get(realm, 'SuppressedError');
  if (typeof SuppressedError !== 'function') return;
  // The parent of the other error classes: the `Error` that reads no stacks.
  // guard: suppressed-error-parent-tamed
  Reflect.setPrototypeOf(SuppressedError, Reflect.getPrototypeOf(TypeError));
  // guard: suppressed-error-hardened
  harden(SuppressedError);
}
