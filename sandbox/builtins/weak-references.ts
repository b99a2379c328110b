/**
 * In place of `WeakRef` and `FinalizationRegistry` in the code of packages. A plugin must not notice when memory is
 * freed, so the language's own are not there. What these do is what the language allows: a value need never be freed.
 */

/** Holds its target as long as it exists itself. */
class Reference<Target extends object> {
  readonly #target: Target;

  constructor(target: Target) {
    if (!isObject(target)) throw new TypeError('WeakRef: the target must be an object');
    this.#target = target;
  }

  deref(): Target {
    return this.#target;
  }

  get [Symbol.toStringTag](): string {
    return 'WeakRef';
  }
}

/** Never calls its callback. */
class Registry {
  constructor(callback: unknown) {
    if (typeof callback !== 'function') {
      throw new TypeError('FinalizationRegistry: the cleanup must be a function');
    }
  }

  register(target: unknown): void {
    if (!isObject(target)) throw new TypeError('register: the target must be an object');
  }

  unregister(): boolean {
    return false;
  }

  get [Symbol.toStringTag](): string {
    return 'FinalizationRegistry';
  }
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export { Reference as Weak$ef, Registry as Finalization$egistry };
