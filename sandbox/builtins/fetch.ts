import { denial, offer } from './denied.js';
import { linkedReport } from './linked-report.js';
import { compartmentGlobal, type CompartmentGlobals } from './compartment-globals.js';

/** The exports of packages such as node-fetch, over the compartment's own `fetch` if it has one. */
export const fetch: CompartmentGlobals['fetch'] = (input, init) => {
  const own = compartmentGlobal('fetch');
  // guard: fetch-not-its-own
  if (own === undefined || isOfCode()) {
    linkedReport()?.('network', `fetch ${String(input)}`);
    throw denial(
      'NETWORK_DENIED',
      `fetch(${JSON.stringify(String(input))}) is refused: this plugin, or this package in it, has no network permission. Add the host to "network" in its manifest, or accept the plugin with --allow network:HOST.`,
    );
  }
  return own(input, init);
};

/** The argument of a bundle. */
declare const $bulkhead: { readonly missing?: (name: string) => unknown } | undefined;

/**
 * Whether the global `fetch` is one that the code defined: it often makes this one global, or a function that calls
 * this one. The compartment's own is fixed, or its permission is held.
 */
function isOfCode(): boolean {
  if (Reflect.getOwnPropertyDescriptor(globalThis, 'fetch')?.writable === false) return false;
  return typeof $bulkhead !== 'undefined' && $bulkhead.missing?.('fetch') !== undefined;
}

/** Adds the compartment's classes for requests, read at the time of use. */
export function withWebClasses<Module extends object>(module: Module): Module {
  for (const name of ['Headers', 'Request', 'Response', 'FormData'] as const) {
    Object.defineProperty(module, name, {
      get: () => compartmentGlobal(name),
      enumerable: true,
      configurable: true,
    });
  }
  return module;
}

export const builtin: object = offer(
  'node-fetch',
  withWebClasses(Object.assign(fetch, { default: fetch, fetch })),
);
