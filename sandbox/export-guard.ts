import { OWN_UNIT } from './wire/units.js';

/**
 * Protects the exports of packages: only the package itself and the plugin's own code can replace an exported
 * function, a method or a static function. An assignment by any other package does nothing, as for a frozen object in
 * sloppy code, and is reported.
 */
export interface ExportGuard {
  /** Protects the exports of `owner`, and returns what other units get for them. */
  protect(exports: unknown, owner: string): unknown;
}

export interface ExportGuardSpec {
  /** The unit whose code assigns at the time of the call. */
  readonly writer: () => string | undefined;
  readonly refused: (what: string, writer: string | undefined) => void;
}

/** Objects that one export is searched for. The functions of further ones stay as they are. */
const MAX_OBJECTS = 2_000;
/** Steps from the exports to a function that is protected. */
const MAX_DEPTH = 4;

export function makeExportGuard({ writer, refused }: ExportGuardSpec): ExportGuard {
  const seen = new WeakSet<object>();

  const protect = (exports: unknown, owner: string): unknown => {
    let left = MAX_OBJECTS;
    const mayWrite = (name: string): boolean => {
      const by = writer();
      if (by === owner || by === OWN_UNIT) return true;
      refused(`${name} of ${owner}`, by);
      return false;
    };

    const visit = (target: object, depth: number): void => {
      if (seen.has(target) || left <= 0 || Object.isFrozen(target)) return;
      seen.add(target);
      left -= 1;
      for (const key of Reflect.ownKeys(target)) visitProperty(target, key, depth);
      const prototype = Reflect.getPrototypeOf(target);
      if (prototype !== null) visit(prototype, depth);
    };

    const visitProperty = (target: object, key: PropertyKey, depth: number): void => {
      const property = Reflect.getOwnPropertyDescriptor(target, key);
      if (property === undefined || !('value' in property)) return;
      const value: unknown = property.value;
      if (!isObject(value)) return;
      const isConstructor = key === 'constructor';
      if (typeof value === 'function' && !isConstructor && property.configurable === true) {
        guardProperty(target, key, value, property.enumerable === true);
      } else if (
        key === 'prototype' &&
        typeof target === 'function' &&
        property.writable === true
      ) {
        // guard: exported-prototype-fixed
        Reflect.defineProperty(target, key, { writable: false });
      }
      if (depth < MAX_DEPTH && !isConstructor && isWalkable(value)) visit(value, depth + 1);
    };

    const guardProperty = (
      holder: object,
      key: PropertyKey,
      value: unknown,
      enumerable: boolean,
    ): void => {
      let current = value;
      Reflect.defineProperty(holder, key, {
        get: () => current,
        set(this: unknown, next: unknown): void {
          if (this === holder) {
            // guard: export-written-by-owner
            if (mayWrite(String(key))) current = next;
          } else if (!isObject(this) || !shadow(this, key, next)) {
            throw new TypeError(`Cannot assign to ${String(key)}`);
          }
        },
        enumerable,
        configurable: false,
      });
    };

    if (!isObject(exports)) return exports;
    if (!isNamespace(exports)) {
      visit(exports, 0);
      return exports;
    }
    for (const key of Reflect.ownKeys(exports)) {
      const value: unknown = Reflect.get(exports, key);
      if (isObject(value) && isWalkable(value)) visit(value, 1);
    }
    return fix(exports, mayWrite);
  };

  return { protect };
}

/** Assigns to an object that inherits a protected property. */
function shadow(target: object, key: PropertyKey, value: unknown): boolean {
  return Reflect.defineProperty(target, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Whether exports are those of an ES module, in the form that esbuild's `__toCommonJS` gives them. */
function isNamespace(exports: object): boolean {
  const keys = Reflect.ownKeys(exports).filter((key) => key !== '__esModule');
  return (
    keys.length > 0 &&
    Object.hasOwn(exports, '__esModule') &&
    keys.every((key) => {
      const property = Reflect.getOwnPropertyDescriptor(exports, key);
      return property?.get !== undefined && property.configurable === false;
    })
  );
}

/** The exports of an ES module, with fixed names and live values. Assignments to them are reported. */
function fix(exports: object, mayWrite: (name: string) => boolean): object {
  const fixed = {};
  for (const key of Reflect.ownKeys(exports)) {
    Reflect.defineProperty(fixed, key, {
      get: () => Reflect.get(exports, key),
      set: () => {
        mayWrite(String(key));
      },
      enumerable: key !== '__esModule',
      configurable: false,
    });
  }
  return Object.preventExtensions(fixed);
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Whether a value may lead to functions: not the contents of arrays, collections and buffers. */
function isWalkable(value: object): boolean {
  return !Array.isArray(value) && !ArrayBuffer.isView(value);
}
