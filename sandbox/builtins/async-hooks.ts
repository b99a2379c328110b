import { offer } from './denied.js';
import { linkedContexts } from './linked-contexts.js';

type Callback = (...args: unknown[]) => unknown;

/** The options of Node 24. */
interface StorageOptions {
  readonly defaultValue?: unknown;
  readonly name?: string;
}

/** A store, which may be `undefined` although there is a default. */
class Box {
  readonly store: unknown;

  constructor(store: unknown) {
    this.store = store;
  }
}

/** A value for a function and all that it starts: callbacks of promises, timers and microtasks. */
class AsyncLocalStorage {
  /** Another one after `disable`, so that the values of the former one are not found. */
  #key: object = Object.freeze({});
  readonly #options: StorageOptions;

  constructor(options: StorageOptions = {}) {
    this.#options = options;
  }

  /** The function, which will run in the contexts of now. */
  static bind(callback: Callback): Callback {
    const run = linkedContexts().snapshot();
    return function bound(this: unknown, ...args) {
      return run(() => Reflect.apply(callback, this, args));
    };
  }

  static snapshot(): (callback: Callback, ...args: unknown[]) => unknown {
    const run = linkedContexts().snapshot();
    return function inSnapshot(this: unknown, callback, ...args) {
      return run(() => Reflect.apply(callback, this, args));
    };
  }

  get name(): string {
    return this.#options.name ?? '';
  }

  getStore(): unknown {
    const box = linkedContexts().get(this.#key);
    return box instanceof Box ? box.store : this.#options.defaultValue;
  }

  run(store: unknown, callback: Callback, ...args: unknown[]): unknown {
    return linkedContexts().run(this.#key, new Box(store), () => callback(...args));
  }

  exit(callback: Callback, ...args: unknown[]): unknown {
    return this.run(undefined, callback, ...args);
  }

  enterWith(store: unknown): void {
    linkedContexts().enter(this.#key, new Box(store));
  }

  disable(): void {
    this.#key = Object.freeze({});
  }
}

/** Work that is done later, in the contexts in which it was made. */
class AsyncResource {
  readonly #run = linkedContexts().snapshot();

  /** The type is for hooks, which a guest does not have, as that of the constructor. */
  static bind(callback: Callback, _type?: string, self?: unknown): Callback {
    return new AsyncResource().bind(callback, self);
  }

  runInAsyncScope(callback: Callback, self?: unknown, ...args: unknown[]): unknown {
    return this.#run(() => Reflect.apply(callback, self, args));
  }

  bind(callback: Callback, self?: unknown): Callback {
    const run = this.#run;
    return function bound(this: unknown, ...args) {
      return run(() => Reflect.apply(callback, self === undefined ? this : self, args));
    };
  }

  asyncId(): number {
    return 0;
  }

  triggerAsyncId(): number {
    return 0;
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
  executionAsyncResource: (): object => ({}),
  createHook: (): object => {
    const hook: object = { enable: () => hook, disable: () => hook };
    return hook;
  },
});
