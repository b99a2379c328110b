/**
 * The values that belong to the code that runs now and to all that it starts: callbacks of promises, timers and
 * microtasks. Node's own follow promises by properties that they add to them, so they fail for a frozen promise, and
 * code that gets a promise could read its values. Here they stay in this module.
 */
export interface AsyncContexts {
  /** The function that runs a callback as if it ran now. What the callback enters ends with it. */
  bind<Args extends readonly unknown[]>(
    callback: (...args: Args) => unknown,
  ): (...args: Args) => unknown;
  /** Forgets what code has entered and not left. Call it before the code of another turn of the event loop. */
  leave(): void;
  /** What the replacement of `async_hooks` gets. */
  readonly face: AsyncContextsFace;
}

/** A key is an object of the code that asks. Only code that has it can read or change its value. */
export interface AsyncContextsFace {
  readonly get: (key: unknown) => unknown;
  readonly run: (key: unknown, value: unknown, callback: () => unknown) => unknown;
  /** Until the end of this callback of a promise, timer or event. */
  readonly enter: (key: unknown, value: unknown) => void;
  /** A function that runs others as if they ran now. */
  readonly snapshot: () => (callback: () => unknown) => unknown;
}

/** The module with the face. */
export const CONTEXTS_MODULE = 'bulkhead:contexts';

/** Hears of all promises of the process, before and after code that waits for them. */
export type FollowPromises = (listener: {
  readonly init: (promise: object) => void;
  readonly before: (promise: object) => void;
  readonly after: (promise: object) => void;
}) => void;

type Context = ReadonlyMap<unknown, unknown>;

const NOTHING: Context = new Map();

export function makeAsyncContexts(followPromises: FollowPromises): AsyncContexts {
  let current = NOTHING;
  let isFollowing = false;
  const contexts = new WeakMap<object, Context>();
  /** Those of the code around the callbacks that run. */
  const around: Context[] = [];

  /** Promises take longer with it, so it begins with the first value. */
  const follow = (): void => {
    if (isFollowing) return;
    isFollowing = true;
    followPromises({
      init: (promise) => {
        if (current !== NOTHING) contexts.set(promise, current);
      },
      before: (promise) => {
        around.push(current);
        current = contexts.get(promise) ?? NOTHING;
      },
      after: () => {
        // A callback that ran before this began has none around it.
        current = around.pop() ?? NOTHING;
      },
    });
  };

  const within = <Result>(context: Context, callback: () => Result): Result => {
    const before = current;
    current = context;
    try {
      return callback();
    } finally {
      current = before;
    }
  };
  const withValue = (key: unknown, value: unknown): Context => {
    follow();
    return new Map(current).set(key, value);
  };

  return {
    bind: (callback) => {
      const context = current;
      return (...args) => within(context, () => callback(...args));
    },
    leave: () => {
      current = NOTHING;
    },
    face: {
      get: (key) => current.get(key),
      run: (key, value, callback) =>
        within(withValue(key, value), () => Reflect.apply(callback, undefined, [])),
      enter: (key, value) => {
        current = withValue(key, value);
      },
      snapshot: () => {
        const context = current;
        return Object.freeze((callback: () => unknown) =>
          within(context, () => Reflect.apply(callback, undefined, [])),
        );
      },
    },
  };
}
