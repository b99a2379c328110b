/**
 * Private state that only objects made here carry. It is a store and a check at once: an object
 * that a plugin built, a Proxy, or a prototype taken for an instance carries none.
 */
export interface Brand<State> {
  give(object: object, state: State): void;
  read(value: unknown): State | undefined;
  /** The state of `value`. Throws a TypeError where it has none. */
  demand(value: unknown): State;
}

/** Makes a brand; `name` is what its TypeErrors say was expected. */
export function makeBrand<State>(name: string): Brand<State> {
  const states = new WeakMap<object, State>();
  const read = (value: unknown): State | undefined =>
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
