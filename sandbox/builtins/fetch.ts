import { denial, offer } from './denied.js';
import { linkedReport } from './linked-report.js';
import { compartmentGlobal, type CompartmentGlobals } from './compartment-globals.js';

/** The exports of packages such as node-fetch, over the compartment's own `fetch` if it has one. */
const fetch: CompartmentGlobals['fetch'] = (input, init) => {
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

export const builtin: object = offer(
  'node-fetch',
  Object.assign(fetch, {
    default: fetch,
    fetch,
    get Headers() {
      return compartmentGlobal('Headers');
    },
    get Request() {
      return compartmentGlobal('Request');
    },
    get Response() {
      return compartmentGlobal('Response');
    },
    get FormData() {
      return compartmentGlobal('FormData');
    },
  }),
);
