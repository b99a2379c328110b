/** An error of the shape that the engine knows: what was refused, and what would allow it. */
export interface Denial extends Error {
  readonly code: string;
}

export function denial(code: string, message: string): Denial {
  return Object.assign(new Error(message), { code });
}

/** A module of Node that is not there, as something that can be imported, extended and passed on. */
export function denyModule(name: string): object {
  return offer(name, {});
}

/**
 * Gives a module what it offers, and for every other name a stand-in that throws when it is called.
 * The stand-ins sit in its prototype, so that what the module does offer is its own.
 */
export function offer<Module extends object>(name: string, own: Module): Module {
  const prototype: unknown = Object.getPrototypeOf(own);
  const isObject = (typeof prototype === 'object' || typeof prototype === 'function') && prototype;
  const base = isObject ? prototype : {};
  const handler: ProxyHandler<object> = {
    get: (target, key, receiver) => {
      if (typeof key === 'symbol' || key in target || INVISIBLE.has(key)) {
        return Reflect.get(target, key, receiver);
      }
      return standIn(name, key);
    },
  };
  Object.setPrototypeOf(own, new Proxy(base, handler));
  return own;
}

/** Names by which others ask what kind of thing they hold; the answer has to be the plain one. */
const INVISIBLE: ReadonlySet<string> = new Set([
  '__esModule',
  'default',
  'then',
  'toJSON',
  'inspect',
  'nodeType',
  'asymmetricMatch',
  '$$typeof',
]);

/** A function, class and object at once that throws on use. */
function standIn(module: string, path: string): object {
  const refuse = (): never => {
    throw refusal(module, path);
  };
  // Not an arrow: a class may extend it.
  const target = function denied(): never {
    return refuse();
  };
  return new Proxy(target, {
    apply: refuse,
    construct: refuse,
    get: (own, key, receiver) => {
      if (typeof key === 'symbol' || key in own || INVISIBLE.has(key)) {
        return Reflect.get(own, key, receiver);
      }
      return standIn(module, `${path}.${key}`);
    },
  });
}

/** The error for a use of what a module does not offer. */
export function refusal(module: string, path: string): Denial {
  const rule = RULES.find(({ modules }) => modules.has(module)) ?? NO_PERMISSION;
  return denial(rule.code, `${module}.${path} is refused to plugins: ${rule.why}`);
}

interface Rule {
  readonly modules: ReadonlySet<string>;
  readonly code: string;
  readonly why: string;
}

const RULES: readonly Rule[] = [
  {
    modules: new Set(['fs', 'fs/promises']),
    code: 'FILESYSTEM_DENIED',
    why: 'whole files are read and written, with readFile, writeFile and what goes with them, where the permissions "fs" and "storage" allow it.',
  },
  {
    modules: new Set('dgram dns dns/promises http http2 https net node-fetch tls'.split(' ')),
    code: 'NETWORK_DENIED',
    why: 'the network is reached with fetch(url), where the network permission ("network" in the manifest) names the host.',
  },
];

const NO_PERMISSION: Rule = {
  modules: new Set(),
  code: 'BUILTIN_DENIED',
  why: 'no permission grants it.',
};
