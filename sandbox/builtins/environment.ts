import type { CompartmentGlobals } from './compartment-globals.js';

export interface EnvironmentParts {
  /** The compartment's `env`, if it has one. */
  readonly env: () => CompartmentGlobals['env'] | undefined;
  /** The names of the granted variables. */
  readonly variables: () => readonly string[];
}

/** `process.env`: the granted variables, through the compartment's `env`, and those that the code sets. */
export function makeEnvironment({
  env,
  variables,
}: EnvironmentParts): Record<string, string | undefined> {
  const own: Record<string, string> = {};
  const removed = new Set<string>();
  const granted = (name: string): string | undefined => {
    const { NODE_ENV } = DEFAULTS;
    if (removed.has(name)) return undefined;
    return env()?.get(name) ?? (name === 'NODE_ENV' ? NODE_ENV : undefined);
  };
  return new Proxy(own, {
    get: (_, name) => (typeof name === 'string' ? (own[name] ?? granted(name)) : undefined),
    has: (_, name) => typeof name === 'string' && (name in own || granted(name) !== undefined),
    set: (_, name, value) => {
      if (typeof name === 'string') own[name] = String(value);
      return true;
    },
    deleteProperty: (_, name) => {
      if (typeof name === 'string') {
        removed.add(name);
        Reflect.deleteProperty(own, name);
      }
      return true;
    },
    ownKeys: () => {
      const names = variables().filter((name) => !removed.has(name));
      return [...new Set([...names, ...Reflect.ownKeys(own)])];
    },
    getOwnPropertyDescriptor: (_, name) => {
      const value = typeof name === 'string' ? (own[name] ?? granted(name)) : undefined;
      return value === undefined
        ? undefined
        : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}

const DEFAULTS = { NODE_ENV: 'production' };
