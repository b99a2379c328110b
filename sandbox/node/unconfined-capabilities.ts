import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Confinement } from '../compartment.js';
import type { GuestCapabilities } from '../guest.js';
import { CodedError } from '../wire/failure.js';
import { makeUtf8 } from '../wire/framing.js';
import { timeZoneSetter } from './process-capabilities.js';
import { makeWebCapabilities } from './web-capabilities.js';

/** The capabilities of an unconfined guest: code runs in the process's own realm. */
export function makeUnconfinedCapabilities(
  pipe: Pick<GuestCapabilities, 'write' | 'exit' | 'exchange'>,
): GuestCapabilities {
  return {
    ...makeWebCapabilities(globalThis),
    ...pipe,
    utf8: makeUtf8(Buffer),
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: queueMicrotask,
    getStackString: (error) => error.stack ?? '',
    confine: () => unconfined,
    setTimeZone: timeZoneSetter(process.env),
    evaluateOwn: (code) => runInThisContext(code),
    makeLinkage: ({ directory }, modules) => {
      if (directory === undefined) throw new CodedError('LOAD_FAILED', 'no directory was named');
      // The file need not exist: modules are resolved from the plugin's directory.
      const url = pathToFileURL(`${directory}/bundle.cjs`);
      return { modules, require: createRequire(url), url: url.href };
    },
  };
}

const refusePackages = (): never => {
  throw new CodedError('LOAD_FAILED', 'packages have no compartments in an unconfined guest');
};

const unconfined: Confinement = {
  evaluate: (code) => runInThisContext(code),
  makeSignal: () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: (why) => controller.abort(new Error(why)) };
  },
  explain: () => undefined,
  dependencies: undefined,
  missing: () => undefined,
  // Nothing can be revoked from such a guest: it is ended instead.
  revoke: () => {},
  // The grant has no effect: the code has the process.
  updateGrant: () => undefined,
  openPackage: refusePackages,
  openPackages: refusePackages,
};
