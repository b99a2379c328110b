import { makeCompartment } from '../compartment.js';
import { confine } from '../confinement.js';
import type { GuestPowers } from '../guest.js';
import { makeLinkage } from '../linkage.js';
import { makeUtf8 } from '../wire/utf8.js';
import type { WebPowers } from '../endowments/endowment.js';

/** What a guest process is born with. Read it as the list of all authority that it ever has. */
export function makeProcessPowers(
  realm: typeof globalThis,
  web: WebPowers,
  pipe: Pick<GuestPowers, 'write' | 'exit'>,
): GuestPowers {
  const { Buffer, queueMicrotask } = realm;
  return {
    ...web,
    ...pipe,
    utf8: makeUtf8(Buffer),
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: (callback) => queueMicrotask(callback),
    getStackString: stackReader(realm),
    confine,
    evaluateOwn: (code) => makeCompartment({ globals: {}, assigned: [] }).evaluate(code),
    makeLinkage,
  };
}

/** SES's own reader of the stacks that it hides. */
function stackReader(realm: object): (error: Error) => string {
  const read: unknown = Reflect.get(realm, 'getStackString');
  return (error) =>
    typeof read === 'function' ? String(Reflect.apply(read, undefined, [error])) : '';
}
