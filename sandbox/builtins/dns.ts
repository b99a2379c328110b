import { always } from './compartment-globals.js';
import { offer } from './denied.js';
import { refusedConnection } from './net.js';

const LOOKUPS =
  'lookup lookupService resolve resolve4 resolve6 resolveAny resolveCaa resolveCname resolveMx resolveNaptr resolveNs resolvePtr resolveSoa resolveSrv resolveTxt reverse'.split(
    ' ',
  );

/** How `node:dns` names the system call of a function in its errors. */
function syscallOf(name: string): string {
  return name === 'lookup' ? 'getaddrinfo' : name.replace(/^resolve/, 'query');
}

/** As in Node, a lookup that fails is the callback's error, and not a throw. */
function makeLookup(name: string): (...args: unknown[]) => void {
  return (...args) => {
    const callback = args.at(-1);
    const error = refusedConnection('dns', syscallOf(name), String(args[0]));
    if (typeof callback !== 'function') throw error;
    always('queueMicrotask')(() => void Reflect.apply(callback, undefined, [error]));
  };
}

export const promises: object = offer(
  'dns/promises',
  Object.fromEntries(
    LOOKUPS.map((name) => [
      name,
      async (target: unknown): Promise<never> => {
        throw refusedConnection('dns', syscallOf(name), String(target));
      },
    ]),
  ),
);

export const builtin: object = offer('dns', {
  ...Object.fromEntries(LOOKUPS.map((name) => [name, makeLookup(name)])),
  promises,
  // Programs choose the order of addresses as they start. Here there is nothing to order.
  getDefaultResultOrder: () => 'verbatim',
  setDefaultResultOrder: () => {},
  getServers: () => [],
  setServers: () => {},
  ADDRCONFIG: 1024,
  ALL: 256,
  V4MAPPED: 2048,
});
