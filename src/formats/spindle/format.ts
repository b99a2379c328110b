import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Activation, Format } from '../format.js';
import { runsInBackground } from '../approval.js';
import { prepareInvocation } from './invocation.js';
import { listExtension } from './listing.js';
import { manifestShape } from './manifest.js';
import { readContributions } from './contributions.js';
import { spindleGlobal } from './spindle-global.js';
import { findManifest, readSpindle } from './read.js';

/** Spindle, the extensions of Lumiverse: a `spindle.json`, and a backend that registers tools. */
export const spindle: Format = {
  name: 'spindle',
  manifestFile: 'spindle.json',
  manifestShape,
  permissionsPlace: 'as "bulkhead": { "permissions": … }',
  actsUncalled: true,
  detect: async (reader, directory) => (await findManifest(reader, directory)) !== undefined,
  read: readSpindle,
  decideActivation: (plugin, raw) => decideActivation(plugin.id, raw),
  readContributions,
  approvalByFlagOnly: true,
  registersAtRunTime: true,
  prepareCall: prepareInvocation,
  defaultTimeoutMs: 30_000,
  aliasesOf: ({ pluginInfo }, toolId) => {
    const id = isRecord(pluginInfo) ? pluginInfo['installationId'] : undefined;
    return typeof id === 'string' ? [`${id}:${toolId}`] : [];
  },
  describeFault: ({ code, tool, message }) =>
    code === 'DEADLINE_EXCEEDED' ? `Tool invocation '${tool}' timed out` : message,
  requiresApproval: (entry) => entry.requireApproval,
  runsInBackground,
  interfaces: [spindleGlobal],
  list: listExtension,
};

/** An extension needs no configuration. It is active unless the operator disables it. */
function decideActivation(id: string, raw: unknown): Activation {
  const given: JsonObject = isRecord(raw) ? JSON.parse(JSON.stringify(raw)) : {};
  const disabled = given['enabled'] === false;
  return {
    config: disabled ? null : given,
    reasons: disabled ? [`it is disabled; set config[${JSON.stringify(id)}].enabled to true`] : [],
    validationErrors: [],
    environment: [],
  };
}
