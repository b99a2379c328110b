/** What stays on the start realm's global: what the guest itself names, and what Node looks up. */
const KEPT_GLOBALS = new Set(['process', 'harden', 'Compartment', 'globalThis']);

/** What Node's own running code still reads from `process`. */
const KEPT_PROCESS = new Set([
  '_events',
  '_eventsCount',
  '_maxListeners',
  '_exiting',
  '_tickCallback',
  'domain',
  'emit',
  'emitWarning',
  'env',
  'exitCode',
  'listenerCount',
  'listeners',
  'nextTick',
  'on',
  'reallyExit',
  'version',
  'release',
  'pid',
  'versions',
]);

/**
 * Takes away what the guest no longer needs, so that a hole in the compartment finds little: after
 * this neither the global object nor `process` leads to files, sockets, children or modules. What
 * the guest itself uses it has captured before.
 */
export function scuttle(realm: typeof globalThis): void {
  // A compartment's global has the language and nothing else: the measure of what may stay.
  const language = new Set(Object.getOwnPropertyNames(new Compartment().globalThis));
  for (const name of Reflect.ownKeys(realm)) {
    // SES leaves a console under a symbol, and Node's modules more of them once they are loaded.
    if (typeof name === 'symbol') remove(realm, name);
    else if (!KEPT_GLOBALS.has(name) && !language.has(name)) remove(realm, name);
  }
  const { process } = realm;
  for (const name of Object.getOwnPropertyNames(process)) {
    if (!KEPT_PROCESS.has(name)) remove(process, name);
  }
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
}

function remove(from: object, name: string | symbol): void {
  if (Reflect.deleteProperty(from, name)) return;
  // What cannot be deleted can usually still be emptied; the test lists what is left.
  Reflect.set(from, name, undefined);
}
