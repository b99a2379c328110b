// The first code of every guest: after it the language cannot be changed.
import 'ses';

import type { WebCapabilities } from '../endowments/endowment.js';
import { modernise } from './modern.js';
import { tameSuppressedError } from './suppressed-error.js';
import { makeWebCapabilities } from './web-capabilities.js';

/** What the endowments need of the platform, captured before lockdown. */
export const webPowers: WebCapabilities = makeWebCapabilities(globalThis);

// SES would give the platform's classes to every compartment, with all that they lead to.
// guard: text-encoder-removed
Reflect.deleteProperty(globalThis, 'TextEncoder');
Reflect.deleteProperty(globalThis, 'TextDecoder');

modernise(globalThis);

// Every option is set: SES reads a missing option from the environment.
lockdown({
  // The plugin sees no stacks. The guest reads the real stacks for the host's log.
  // guard: error-stacks-tamed
  errorTaming: 'safe',
  // The entry's own listeners report uncaught errors on the wire.
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  reporting: 'none',
  // `scuttle` removes the start realm's console.
  consoleTaming: 'unsafe',
  regExpTaming: 'safe',
  // The locale methods honour locale and options. The locale and the zone are the engine's.
  localeTaming: 'unsafe',
  // Most libraries assign to inherited names somewhere. `severe` allows all of them.
  overrideTaming: 'severe',
  overrideDebug: [],
  stackFiltering: 'verbose',
  evalTaming: 'safe-eval',
  domainTaming: 'safe',
  legacyRegeneratorRuntimeTaming: 'safe',
  __hardenTaming__: 'safe',
});

tameSuppressedError(globalThis);
