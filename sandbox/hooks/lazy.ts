/** A property whose value is made when it is first read. */
export interface LazySlot {
  /** Whether it stands as it was put: nobody has read, written, deleted or redefined it. */
  untouched(): boolean;
}

/** To whoever holds the record it is an ordinary property: it can be listed, copied and assigned to. */
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
  // The plugin can get at them, by the property's descriptor. They hold nothing that is not frozen
  // already, so that there is no need to look as far as `harden` does.
  Object.freeze(get);
  Object.freeze(set);
  Object.defineProperty(record, name, { get, set, enumerable: true, configurable: true });
  return {
    untouched: () => !touched && Object.getOwnPropertyDescriptor(record, name)?.get === get,
  };
}
