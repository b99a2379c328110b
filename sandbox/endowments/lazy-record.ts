/** A record whose members are made when they are first read. To copy it makes all of them. */
export function lazyRecord<Members extends Readonly<Record<string, unknown>>>(makers: {
  readonly [Name in keyof Members]: () => Members[Name];
}): Members {
  const record = {};
  for (const [name, make] of Object.entries<() => unknown>(makers)) {
    defineLazily(record, name, make);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member has the type of its maker
  return record as Members;
}

/** Defines one member of such a record. */
export function defineLazily(record: object, name: string, make: () => unknown): void {
  let made: { readonly value: unknown } | undefined;
  const get = (): unknown => (made ??= { value: make() }).value;
  // Code of a plugin may find the getter.
  Object.defineProperty(record, name, { get: harden(get), enumerable: true, configurable: true });
}
