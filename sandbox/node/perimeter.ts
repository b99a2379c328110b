// The first code of every guest: from here on the language itself cannot be changed.
import 'ses';

import type { WebPowers } from '../endowments/endowment.js';
import { modernise } from './modern.js';
import { tameSuppressedError } from './suppressed-error.js';
import { makeWebPowers } from './web-powers.js';

/** What the endowments need of the platform, taken while it is whole. */
export const webPowers: WebPowers = makeWebPowers(globalThis);

// SES would give the platform's own to every compartment, with what they lead to.
Reflect.deleteProperty(globalThis, 'TextEncoder');
Reflect.deleteProperty(globalThis, 'TextDecoder');

modernise(globalThis);

// Every option is passed: an option that is not would be read from the environment.
lockdown({
  // The plugin sees no stacks; the guest reads the real ones for the host's log.
  errorTaming: 'safe',
  // Errors nobody catches are reported on the wire, by the entry's own listeners.
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  reporting: 'none',
  // The start realm's console is taken away below.
  consoleTaming: 'unsafe',
  regExpTaming: 'safe',
  localeTaming: 'safe',
  // Most libraries assign to inherited names somewhere: `severe` lets all of them.
  overrideTaming: 'severe',
  overrideDebug: [],
  stackFiltering: 'verbose',
  evalTaming: 'safe-eval',
  domainTaming: 'safe',
  legacyRegeneratorRuntimeTaming: 'safe',
  __hardenTaming__: 'safe',
});

tameSuppressedError(globalThis);
