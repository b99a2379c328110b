/** What is made when it is first asked for. */
export interface Lazy<Made> {
  get(): Made;
  /** Absent as long as nobody asked for it. */
  readonly made: Made | undefined;
}

/** Most entries of an engine are never called: what only calls need is made by the first of them. */
export function lazily<Made extends object>(make: () => Made): Lazy<Made> {
  let made: Made | undefined;
  return {
    get: () => (made ??= make()),
    get made() {
      return made;
    },
  };
}
