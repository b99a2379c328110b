/**
 * Private state that only objects made here have. It is a store and a check at once: an object that
 * a plugin built, a Proxy and a prototype have none.
 */
export interface Brand<State> {
  give(object: object, state: State): void;
  read(value: unknown): State | undefined;
  /** The state of `value`. Throws a TypeError if it has none. */
  demand(value: unknown): State;
}

/** Makes a brand. Its TypeErrors name `name` as the expected kind. */
export function makeBrand<State>(name: string): Brand<State> {
  const states = new WeakMap<object, State>();
  const read = (value: unknown): State | undefined =>
    // guard: brand-looked-up
    typeof value === 'object' && value !== null ? states.get(value) : undefined;
  return {
    give: (object, state) => {
      states.set(object, state);
    },
    read,
    demand: (value) => {
      const state = read(value);
      if (state === undefined) throw new TypeError(`Illegal invocation: this is not a ${name}`);
      return state;
    },
  };
}
