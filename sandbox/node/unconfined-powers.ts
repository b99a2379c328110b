import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { Confinement } from '../confinement.js';
import type { GuestPowers } from '../guest.js';
import { CodedError } from '../wire/failure.js';
import { makeUtf8 } from '../wire/utf8.js';
import { makeWebPowers } from './web-powers.js';

/** The powers of an unconfined guest: code runs in the process's own realm, with its own globals. */
export function makeUnconfinedPowers(pipe: Pick<GuestPowers, 'write' | 'exit'>): GuestPowers {
  return {
    ...makeWebPowers(globalThis),
    ...pipe,
    utf8: makeUtf8(Buffer),
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: queueMicrotask,
    getStackString: (error) => error.stack ?? '',
    confine: () => unconfined,
    evaluateOwn: (code) => runInThisContext(code),
    makeLinkage: ({ directory }, modules) => {
      if (directory === undefined) throw new CodedError('LOAD_FAILED', 'no directory was named');
      // Relative to a file that need not exist: modules are looked up from the plugin's directory.
      const url = pathToFileURL(`${directory}/bundle.cjs`);
      return { modules, require: createRequire(url), url: url.href };
    },
  };
}

const unconfined: Confinement = {
  evaluate: (code) => runInThisContext(code),
  makeSignal: () => {
    const controller = new AbortController();
    return { signal: controller.signal, abort: (why) => controller.abort(new Error(why)) };
  },
  explain: () => undefined,
  // What was never taken away cannot be taken back: such a guest is ended.
  revoke: () => {},
  // Whatever the grant says: this code has the process.
  follow: () => undefined,
};
