import type { Json } from '../wire/messages.js';

/** Globals of the start realm that stay: the guest or Node uses them. */
const KEPT_GLOBALS = new Set(['process', 'harden', 'Compartment', 'globalThis']);

/** Properties of `process` that Node's own code still reads. */
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
 * Removes what the guest does not need any more. Afterwards neither the global object nor `process`
 * leads to files, sockets, children or modules, so that an escape from the compartment finds little.
 * The guest has captured what it uses.
 */
export function scuttle(realm: typeof globalThis): void {
  // The global of a compartment has the language and nothing else: those names stay.
  const language = new Set(Object.getOwnPropertyNames(new Compartment().globalThis));
  for (const name of Reflect.ownKeys(realm)) {
    // SES stores a console under a symbol. Node's modules add symbols when they are loaded.
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
  // A property that cannot be deleted is emptied. The test lists what is left.
  Reflect.set(from, name, undefined);
}

/** Names through which code of the start realm would reach files, sockets, children or modules. */
const GONE_GLOBALS = ['fetch', 'require', 'module', 'WebSocket', 'WebAssembly', 'crypto', 'Buffer'];
const GONE_PROCESS = ['binding', 'dlopen', 'kill', 'mainModule', 'getBuiltinModule', 'send'];

/** A standby guest's report about its own walls. It is honest: no plugin code has run. */
export function reportOnSelf(realm: typeof globalThis, permissionModel: boolean): Json {
  return {
    lockdown: Object.isFrozen(Object.prototype) && Object.isFrozen(Function.prototype),
    scuttled:
      GONE_GLOBALS.every((name) => isGone(realm, name)) &&
      GONE_PROCESS.every((name) => isGone(realm.process, name)),
    permissionModel,
  };
}

function isGone(from: object, name: string): boolean {
  return Reflect.get(from, name) === undefined;
}

/** What this process has of Node's permission model. */
type Permission = Pick<NodeJS.ProcessPermission, 'has'> & {
  /** Node 26 and later. */
  readonly drop?: (scope: string) => void;
};

/** The type of Node has it always; without the flag it is absent. */
function permissionOf(process: NodeJS.Process): Permission | undefined {
  return process.permission;
}

/** Drops what was only needed to open the pipes: see `droppedFlags` in `src/guests/walls/machine.ts`. */
export function dropNetwork(process: NodeJS.Process): void {
  const permission = permissionOf(process);
  if (permission?.has('net') === true) permission.drop?.('net');
}

/** Whether Node's permission model refuses this process files, and the network if it knows that permission. */
export function isConfinedByNode(process: NodeJS.Process): boolean {
  const permission = permissionOf(process);
  return permission?.has('fs.write') === false && !permission.has('net');
}
