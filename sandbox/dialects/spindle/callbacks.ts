import type { DialectWorld } from '../dialect.js';

/** A function of the plugin's. */
export type Callback = (...args: readonly unknown[]) => unknown;

export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

/** Throws where an extension passes something else for a function. `at` names the member. */
export function demandCallback(value: unknown, at: string): Callback {
  if (isCallback(value)) return value;
  throw new TypeError(`${at} takes a function`);
}

/** Calls what the plugin registered where nobody waits for it: what it throws is logged. */
export function callUnawaited(
  world: DialectWorld,
  callback: Callback,
  args: readonly unknown[],
): void {
  const { reportFault } = world.powers;
  try {
    const answer: unknown = Reflect.apply(callback, undefined, args);
    if (answer instanceof Promise) answer.catch(reportFault);
  } catch (error) {
    reportFault(error);
  }
}

/** A list of callbacks; `add` returns how to take one out. */
export interface Callbacks {
  add(callback: Callback): () => void;
  list(): readonly Callback[];
}

export function makeCallbacks(): Callbacks {
  const entries = new Set<{ readonly callback: Callback }>();
  return {
    add: (callback) => {
      const entry = { callback };
      entries.add(entry);
      return () => {
        entries.delete(entry);
      };
    },
    list: () => [...entries].map(({ callback }) => callback),
  };
}
