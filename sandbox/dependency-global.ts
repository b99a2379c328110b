const { getOwnPropertyDescriptor: descriptorOf } = Reflect;

type Globals = Record<PropertyKey, unknown>;

const globalObjects = new WeakSet<object>();

/** Whether a value is a global object of dependencies. Packages export it, and its members are no package's. */
export function isDependencyGlobal(value: object): boolean {
  return globalObjects.has(value);
}

/**
 * The global object as code of dependencies gets it: some names are replaced. `own`: the object that gets what the
 * code assigns. If it is not the global object, the names of the global object are fixed.
 */
export function makeGlobalFor(
  globals: Globals,
  replaced: Readonly<Globals>,
  own: Globals = globals,
): object {
  const isFixed = (key: PropertyKey): boolean => own !== globals && Object.hasOwn(globals, key);
  const handler: ProxyHandler<object> = {
    get: (_, key) => {
      if (key === 'globalThis') return proxy;
      if (Object.hasOwn(replaced, key)) return replaced[key];
      return Reflect.get(Object.hasOwn(own, key) ? own : globals, key);
    },
    has: (_, key) => Object.hasOwn(own, key) || Reflect.has(globals, key),
    set: (_, key, value, receiver) =>
      receiver === proxy
        ? !isFixed(key) && Reflect.set(own, key, value)
        : // An object that inherits from it gets a property of its own, as from any object.
          Reflect.set(Object.create(null), key, value, receiver),
    defineProperty: (target, key, property) => {
      if (isFixed(key) || !Reflect.defineProperty(own, key, property)) return false;
      // A property that cannot be configured must be one of the proxy's target too, as it is.
      const isFinal = property.configurable === false || Object.hasOwn(target, key);
      return !isFinal || Reflect.defineProperty(target, key, { ...descriptorOf(own, key) });
    },
    deleteProperty: (_, key) => !isFixed(key) && Reflect.deleteProperty(own, key),
    ownKeys: () => [...new Set([...Reflect.ownKeys(globals), ...Reflect.ownKeys(own)])],
    getOwnPropertyDescriptor: (target, key) => {
      if (Object.hasOwn(target, key)) return descriptorOf(own, key);
      const property = descriptorOf(own, key) ?? descriptorOf(globals, key);
      // The proxy's target has no such property, so none is fixed.
      return property === undefined
        ? undefined
        : {
            value: Reflect.get(proxy, key),
            writable: true,
            enumerable: property.enumerable === true,
            configurable: true,
          };
    },
    // The real global object cannot be frozen through the proxy.
    preventExtensions: () => false,
    setPrototypeOf: () => false,
  };
  const proxy = new Proxy<object>({}, handler);
  globalObjects.add(proxy);
  return proxy;
}
