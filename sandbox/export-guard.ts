import { isDependencyGlobal } from './dependency-global.js';
import { OWN_UNIT } from './wire/units.js';

/**
 * Protects the exports of packages: only the package itself and the plugin's own code can replace an exported
 * function, a method or a static function. An assignment by any other package does nothing, as for a frozen object in
 * sloppy code, and is reported.
 */
export interface ExportGuard {
  /** Protects the exports of `owner`. Its own code can still add to them, until they are closed. */
  protect(exports: unknown, owner: string): void;
  /**
   * Stops additions to the prototypes of a package's exports, and changes of their parents: both would intercept the
   * assignments and calls of instances.
   */
  close(owner: string): void;
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
  const closable = new Map<string, object[]>();

  const close = (owner: string): void => {
    // guard: exported-prototype-closed
    for (const one of closable.get(owner) ?? []) Object.preventExtensions(one);
    closable.delete(owner);
  };

  const mayWrite = (name: string, owner: string): boolean => {
    const by = writer();
    if (by === owner || by === OWN_UNIT) return true;
    refused(`${name} of ${owner}`, by);
    return false;
  };

  const protect = (exports: unknown, owner: string): void => {
    let left = MAX_OBJECTS;
    const open = closable.get(owner) ?? [];
    closable.set(owner, open);

    const visit = (target: object, depth: number): void => {
      try {
        visitObject(target, depth);
      } catch {
        // A trap of a Proxy threw. What it stands for stays as it is.
      }
    };

    const visitObject = (target: object, depth: number): void => {
      if (seen.has(target) || left <= 0 || Object.isFrozen(target)) return;
      if (isDependencyGlobal(target)) return;
      seen.add(target);
      left -= 1;
      const inner: (readonly [key: PropertyKey, value: object])[] = [];
      let guarded: PropertyDescriptorMap | undefined;
      for (const key of Reflect.ownKeys(target)) {
        // Most exports are functions without properties of their own.
        if (key === 'constructor' || (key === 'length' && typeof target === 'function')) continue;
        const property = Reflect.getOwnPropertyDescriptor(target, key);
        const value: unknown = property?.value;
        if (property === undefined || !isObject(value)) continue;
        if (typeof value === 'function' && property.configurable === true) {
          guarded ??= emptyRecord();
          guarded[key] = guard(target, key, value, property.enumerable === true);
        } else if (key === 'prototype' && typeof target === 'function') {
          // guard: exported-prototype-fixed
          Reflect.defineProperty(target, key, { writable: false });
          open.push(value);
        }
        if (isWalkable(value)) inner.push([key, value]);
      }
      // All at once, because each change of a property's kind costs more than the search.
      if (guarded !== undefined) defineAll(target, guarded);
      const isDerived = visitParent(target, depth);
      if (isDerived && typeof target === 'function') open.push(target);
      if (depth < MAX_DEPTH) for (const [key, value] of inner) enter(value, key, depth + 1);
    };

    /** The own properties of an instance belong to the package of its class, which changes them. */
    const enter = (value: object, key: PropertyKey, depth: number): void => {
      if (typeof value === 'function' || key === 'prototype' || !isDerivedObject(value)) {
        visit(value, depth);
      } else visitParent(value, depth);
    };

    /** Returns whether there is a parent that is not of the language. */
    const visitParent = (target: object, depth: number): boolean => {
      const parent = Reflect.getPrototypeOf(target);
      if (parent === null || isOfLanguage(parent)) return false;
      // That of a class which another package exports is known already.
      if (typeof parent !== 'function' && !seen.has(parent)) open.push(parent);
      visit(parent, depth);
      return true;
    };

    const guard = (
      holder: object,
      key: PropertyKey,
      value: unknown,
      enumerable: boolean,
    ): PropertyDescriptor => {
      let current = value;
      return {
        get: () => current,
        set(this: unknown, next: unknown): void {
          if (this === holder) {
            // guard: export-written-by-owner
            if (mayWrite(String(key), owner)) current = next;
          } else if (!isObject(this) || !shadow(this, key, next)) {
            throw new TypeError(`Cannot assign to ${String(key)}`);
          }
        },
        enumerable,
        configurable: false,
      };
    };

    if (!isObject(exports)) return;
    // guard: exports-behind-getters-protected
    if (isNamespace(exports)) {
      for (const key of Reflect.ownKeys(exports)) {
        const value: unknown = Reflect.get(exports, key);
        if (isObject(value) && isWalkable(value)) enter(value, key, 1);
      }
      Object.seal(exports);
    } else visit(exports, 0);
  };

  return { protect, close };
}

function isDerivedObject(value: object): boolean {
  try {
    const parent = Reflect.getPrototypeOf(value);
    return parent !== null && !isOfLanguage(parent);
  } catch {
    // A trap of a Proxy threw. To visit it does the same.
    return false;
  }
}

/** A record that takes any name, also `__proto__`. */
function emptyRecord(): PropertyDescriptorMap {
  return Object.create(null);
}

/** The prototypes of the language are frozen, and most objects have one of these two. */
function isOfLanguage(prototype: object): boolean {
  return prototype === Object.prototype || prototype === Function.prototype;
}

/** Properties that a Proxy of the package refuses stay as they are: the package has only itself to protect from that. */
function defineAll(target: object, properties: PropertyDescriptorMap): void {
  try {
    Object.defineProperties(target, properties);
  } catch {
    for (const key of Reflect.ownKeys(properties)) {
      const { [key]: property = {} } = properties;
      try {
        Reflect.defineProperty(target, key, property);
      } catch {
        // Its trap threw, or broke a rule of the language.
      }
    }
  }
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

/** Whether exports are those of an ES module: getters, as esbuild writes them, and the bundler for those that are used. */
function isNamespace(exports: object): boolean {
  const keys = Reflect.ownKeys(exports).filter((key) => key !== '__esModule');
  return (
    keys.length > 0 &&
    Object.hasOwn(exports, '__esModule') &&
    keys.every((key) => {
      const property = Reflect.getOwnPropertyDescriptor(exports, key);
      return property?.get !== undefined;
    })
  );
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Whether a value may lead to functions: not the contents of arrays, collections and buffers. */
function isWalkable(value: object): boolean {
  return !Array.isArray(value) && !ArrayBuffer.isView(value);
}
