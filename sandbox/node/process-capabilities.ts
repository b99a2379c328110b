import { makeCompartment, confine, makeLinkage } from '../compartment.js';
import type { GuestCapabilities } from '../guest.js';
import { makeUtf8 } from '../wire/framing.js';
import type { WebCapabilities } from '../endowments/endowment.js';

/** All authority that a guest process ever has. */
export function makeProcessCapabilities(
  realm: typeof globalThis,
  web: WebCapabilities,
  pipe: Pick<GuestCapabilities, 'write' | 'exit' | 'exchange'>,
): GuestCapabilities {
  const { Buffer, process, gc } = realm;
  const resolved = realm.Promise.resolve();
  return {
    ...web,
    ...pipe,
    utf8: makeUtf8(Buffer),
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    // Node's `queueMicrotask` creates an asynchronous resource each time.
    soon: (callback) => void resolved.then(callback),
    setTimeZone: timeZoneSetter(process.env),
    ...(gc === undefined ? {} : { collectGarbage: () => gc() }),
    getStackString: stackReader(realm),
    confine,
    evaluateOwn: (code) => makeCompartment({ globals: {}, assigned: [] }).evaluate(code),
    makeLinkage,
  };
}

/** Sets `TZ`. Node then applies the zone to the whole process. */
export function timeZoneSetter(env: NodeJS.ProcessEnv): (zone: string) => void {
  let current = 'UTC';
  return (zone) => {
    if (zone === current) return;
    current = zone;
    env['TZ'] = zone;
  };
}

/** SES's own reader of the stacks that it hides. */
function stackReader(realm: object): (error: Error) => string {
  const read: unknown = Reflect.get(realm, 'getStackString');
  return (error) =>
    typeof read === 'function' ? String(Reflect.apply(read, undefined, [error])) : '';
}
