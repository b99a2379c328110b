import type { Json } from '../wire/messages.js';

/** Names through which code in the start realm would reach files, sockets, children or modules. */
const GONE_GLOBALS = ['fetch', 'require', 'module', 'WebSocket', 'WebAssembly', 'crypto', 'Buffer'];
const GONE_PROCESS = ['binding', 'dlopen', 'kill', 'mainModule', 'getBuiltinModule', 'send'];

/** What a guest can tell of its own walls while it is still blank, and nobody has reason to lie. */
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

/** Whether Node's permission model keeps this process from writing files. */
export function isWriteRefused(process: NodeJS.Process): boolean {
  const { permission } = process;
  // Typed as always there; without the flag it is not.
  return (permission as typeof permission | undefined)?.has('fs.write') === false;
}
