import type { DialectWorld } from '../dialect.js';

/** A function of the plugin. */
export type Callback = (...args: readonly unknown[]) => unknown;

export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

/** Throws if the extension passes a value that is not a function. `at` names the member. */
export function demandCallback(value: unknown, at: string): Callback {
  if (isCallback(value)) return value;
  throw new TypeError(`${at} takes a function`);
}

/**
 * Calls a registered callback without awaiting it. Logs its errors. Returns a promise of its end,
 * which never rejects, if it has not ended yet.
 */
export function callUnawaited(
  world: DialectWorld,
  callback: Callback,
  args: readonly unknown[],
): Promise<void> | undefined {
  const { reportFault } = world.powers;
  try {
    const answer: unknown = Reflect.apply(callback, undefined, args);
    if (answer instanceof Promise) return answer.then(() => undefined, reportFault);
  } catch (error) {
    reportFault(error);
  }
  return undefined;
}

/** A list of callbacks. `add` returns a function that removes the callback. */
interface Callbacks {
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

/** Handlers of the host's messages, by kind. They are called without being awaited. */
export interface Listeners {
  /** Creates the member that adds a handler of a kind, and returns a function that removes it. */
  adder(kind: string, member: string): (handler: unknown) => () => void;
  call(kind: string, args: readonly unknown[]): void;
  /** Resolves when the handlers that `call` has called so far have ended. */
  settled(): Promise<void>;
}

export function makeListeners(world: DialectWorld): Listeners {
  const byKind = new Map<string, Callbacks>();
  const of = (kind: string): Callbacks => {
    const found = byKind.get(kind) ?? makeCallbacks();
    byKind.set(kind, found);
    return found;
  };
  const running = new Set<Promise<void>>();
  return {
    settled: async () => {
      await Promise.all(running);
    },
    adder: (kind, member) => (handler) => of(kind).add(demandCallback(handler, member)),
    call: (kind, args) => {
      for (const callback of byKind.get(kind)?.list() ?? []) {
        const end = callUnawaited(world, callback, args);
        if (end === undefined) continue;
        running.add(end);
        void end.then(() => running.delete(end));
      }
    },
  };
}
