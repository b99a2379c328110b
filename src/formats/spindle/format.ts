import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isObject } from '../../schema/shape.js';
import type { Activation, Format } from '../format.js';
import { prepareInvocation } from './invocation/prepare.js';
import { listExtension } from './listing.js';
import { readOffer } from './offer.js';
import { findManifest, readSpindle } from './read.js';

/** Spindle, the extensions of Lumiverse: `spindle.json` and a backend that registers its tools. */
export const spindle: Format = {
  name: 'spindle',
  detect: async (power, directory) => (await findManifest(power, directory)) !== undefined,
  read: readSpindle,
  decideActivation: (plugin, raw) => decideActivation(plugin.id, raw),
  readOffer,
  asksByFlagAlone: true,
  registersAtRunTime: true,
  prepareCall: prepareInvocation,
  usualTimeoutMs: 30_000,
  aliasesOf: ({ introduction }, toolId) => {
    const id = isObject(introduction) ? introduction['installationId'] : undefined;
    return typeof id === 'string' ? [`${id}:${toolId}`] : [];
  },
  wordFault: ({ code, tool, message }) =>
    code === 'DEADLINE_EXCEEDED' ? `Tool invocation '${tool}' timed out` : message,
  requiresApproval: (entry) => entry.requireApproval,
  runsInBackground: (annotations, asksFirst) => annotations.readOnlyHint && !asksFirst,
  list: listExtension,
};

/** An extension needs no configuration; it is there to be used unless the operator disables it. */
function decideActivation(id: string, raw: unknown): Activation {
  const given: JsonObject = isObject(raw) ? JSON.parse(JSON.stringify(raw)) : {};
  const disabled = given['enabled'] === false;
  return {
    config: disabled ? null : given,
    reasons: disabled ? [`it is disabled; set config[${JSON.stringify(id)}].enabled to true`] : [],
    validationErrors: [],
    environment: [],
  };
}
