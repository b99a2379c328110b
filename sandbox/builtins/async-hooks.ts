import { offer } from './denied.js';

/**
 * A store for the duration of a function. It does not follow an `await`, because a guest has no
 * hooks into the engine: later code sees no store.
 */
class AsyncLocalStorage<Store> {
  #store: Store | undefined;

  static bind<Bound>(callback: Bound): Bound {
    return callback;
  }

  static snapshot(): (run: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown {
    return (run, ...args) => run(...args);
  }

  getStore(): Store | undefined {
    return this.#store;
  }

  run<Result>(store: Store, callback: (...args: unknown[]) => Result, ...args: unknown[]): Result {
    const before = this.#store;
    this.#store = store;
    try {
      return callback(...args);
    } finally {
      this.#store = before;
    }
  }

  exit<Result>(callback: (...args: unknown[]) => Result, ...args: unknown[]): Result {
    const before = this.#store;
    this.#store = undefined;
    try {
      return callback(...args);
    } finally {
      this.#store = before;
    }
  }

  enterWith(store: Store): void {
    this.#store = store;
  }

  disable(): void {
    this.#store = undefined;
  }
}

class AsyncResource {
  static bind<Bound>(callback: Bound): Bound {
    return callback;
  }

  runInAsyncScope(
    callback: (...args: unknown[]) => unknown,
    self?: unknown,
    ...args: unknown[]
  ): unknown {
    return Reflect.apply(callback, self, args);
  }

  bind<Bound>(callback: Bound): Bound {
    return callback;
  }

  emitDestroy(): this {
    return this;
  }
}

export const builtin: object = offer('async_hooks', {
  AsyncLocalStorage,
  AsyncResource,
  executionAsyncId: (): number => 0,
  triggerAsyncId: (): number => 0,
  createHook: (): object => ({ enable: () => undefined, disable: () => undefined }),
});
