/** A property whose value is created when it is first read. */
export interface LazySlot {
  /** Whether the plugin has not read, written, deleted or redefined the property. */
  untouched(): boolean;
}

/** Defines the property. The plugin can list, copy and assign it like an ordinary property. */
export function putLazily(
  record: Record<string, unknown>,
  name: string,
  make: () => unknown,
): LazySlot {
  let touched = false;
  let value: unknown;
  const get = (): unknown => {
    if (!touched) value = make();
    touched = true;
    return value;
  };
  const set = (next: unknown): void => {
    touched = true;
    value = next;
  };
  // The plugin can reach both functions through the property descriptor. Everything that they
  // reference is already frozen, so `harden` is not needed.
  Object.freeze(get);
  Object.freeze(set);
  Object.defineProperty(record, name, { get, set, enumerable: true, configurable: true });
  return {
    untouched: () => !touched && Object.getOwnPropertyDescriptor(record, name)?.get === get,
  };
}
