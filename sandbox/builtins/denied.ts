import { isListening, NETWORK_MODULES } from '../wire/listening.js';
import { linkedReport } from './linked-report.js';

/** An error with a code that the engine knows. */
export interface Denial extends Error {
  readonly code: string;
}

export function denial(code: string, message: string): Denial {
  return Object.assign(new Error(message), { code });
}

/** A module of Node that is denied. It can be imported, extended and passed on. */
export function denyModule(name: string): object {
  return offer(name, {});
}

/**
 * Adds a stand-in for every name that a module lacks. A stand-in throws when it is called. The
 * stand-ins are in the prototype, so the module's own members stay its own.
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

/** Names that libraries read to detect the kind of an object. They must be absent. */
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

/** A function, class and object in one. It throws on use. */
function standIn(module: string, path: string): object {
  const refuse = (): never => {
    throw refusal(module, path);
  };
  // Not an arrow function: a class may extend it.
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

/** The error for the use of a member that a module lacks. */
export function refusal(module: string, path: string): Denial {
  const rule = reportRefusal(module, path);
  return denial(rule.code, `${module}.${path} is refused to plugins: ${rule.why}`);
}

/**
 * The error of a file operation where the code has no files. It has the code of Node's error for a file that may not
 * be read, because packages that search for a file go on after that one.
 */
export function fileRefusal(module: string, operation: string, path: unknown): Error {
  const { message } = refusal(module, operation);
  const at = typeof path === 'string' ? { path } : {};
  return Object.assign(new Error(`EACCES: permission denied: ${message}`), {
    errno: -13,
    code: 'EACCES',
    syscall: 'access',
    ...at,
  });
}

/** Reports a refusal to the host: plugin code may catch the error. Returns its rule. */
export function reportRefusal(module: string, path: string): Rule {
  const rule = isListening(module, path)
    ? NO_LISTENING
    : (RULES.find(({ modules }) => modules.has(module)) ?? NO_PERMISSION);
  linkedReport()?.(rule.permission, `${module}.${path}`);
  return rule;
}

interface Rule {
  /** The permission that the event names. */
  readonly permission: string;
  readonly modules: ReadonlySet<string>;
  readonly code: string;
  readonly why: string;
}

const RULES: readonly Rule[] = [
  {
    modules: new Set(['fs', 'fs/promises']),
    permission: 'fs',
    code: 'FILESYSTEM_DENIED',
    why: 'whole files are read and written, with readFile, writeFile and what goes with them, where the permissions "fs" and "storage" allow it.',
  },
  {
    modules: NETWORK_MODULES,
    permission: 'network',
    code: 'NETWORK_DENIED',
    why: 'the network is reached with fetch(url), where the network permission ("network" in the manifest) names the host.',
  },
];

const NO_LISTENING: Rule = {
  permission: 'network',
  modules: new Set(),
  code: 'NETWORK_DENIED',
  why: 'a plugin cannot listen on a port, and no permission lets it. To fix this: offer what the server does as tools, which the host calls.',
};

const NO_PERMISSION: Rule = {
  modules: new Set(),
  permission: 'builtin',
  code: 'BUILTIN_DENIED',
  why: 'no permission grants it.',
};
