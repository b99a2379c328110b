import { join } from 'node:path';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { requiresApproval } from '../approval.js';
import type { Activation, Format, ListingSource } from '../format.js';
import type { Plugin } from '../../plugin/plugin.js';
import { MANIFEST_FILE, readSavedProgram } from './read.js';
import { readContributions } from './contributions.js';

/** Programs that call tools, saved as plugins: `bulkhead add --program` writes them. */
export const savedProgram: Format = {
  name: 'saved-program',
  manifestFile: MANIFEST_FILE,
  permissionsPlace: 'as "tools"',
  permissionsPath: ['tools'],
  declaresPermissions: true,
  callsTools: true,
  hasCryptoRandom: false,
  detect: async (reader, directory) =>
    (await reader.stat(join(directory, MANIFEST_FILE))) === 'file',
  read: readSavedProgram,
  decideActivation,
  readContributions,
  requiresApproval,
  // Its calls decide what it does: each has its own risk, and asks by itself.
  runsInBackground: (_annotations, needsApproval) => !needsApproval,
  list: listProgram,
};

/** A saved program is active if the operator does not disable it. */
function decideActivation(plugin: Plugin, raw: unknown): Activation {
  const given: JsonObject = isRecord(raw) ? JSON.parse(JSON.stringify(raw)) : {};
  const isDisabled = given['enabled'] === false;
  const at = `config[${JSON.stringify(plugin.id)}]`;
  return {
    config: isDisabled ? null : given,
    reasons: isDisabled ? [`it is disabled; set ${at}.enabled to true`] : [],
    validationErrors: [],
    environment: [],
  };
}

function listProgram({ plugin, activation }: ListingSource): Readonly<Record<string, unknown>> {
  const [entry] = plugin.entries;
  return {
    name: plugin.id,
    version: plugin.version ?? '',
    description: plugin.description ?? '',
    enabled: activation.reasons.length === 0,
    ...entry?.pluginInfo,
  };
}
