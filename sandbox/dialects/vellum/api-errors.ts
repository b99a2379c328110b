export type ErrorClass = new (message?: unknown) => Error;

/**
 * A class of errors that plugins may have: `instanceof Error`, and by that name. It does not extend
 * the start realm's `Error`, which can read stacks, and which a plugin would find as its prototype.
 */
export function makeErrorClass(name: string): ErrorClass {
  class Named {
    declare readonly message: string;
    declare readonly name: string;

    static {
      Object.setPrototypeOf(Named, Object.getPrototypeOf(TypeError));
      Object.setPrototypeOf(Named.prototype, Error.prototype);
      Object.defineProperty(Named, 'name', { value: name });
      Object.defineProperty(Named.prototype, 'name', { value: name });
    }

    constructor(message: unknown = '') {
      return Reflect.construct(Error, [String(message)], new.target);
    }
  }
  return Named;
}
