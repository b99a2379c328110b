import { dialects } from './dialects/table.js';
import { NOTHING } from './endower.js';
import type { HostCapability } from './endowments/endowment.js';
import { callLoaded, load, type LoadCapabilities } from './loaded.js';
import { makeValidation } from './validation.js';
import type { GuestGrant, GuestLimits } from './wire/methods.js';

/**
 * Loads dummy plugins on standby and calls their tool, so that V8 compiles the code of a first load
 * and a first call. Sends nothing to the host. Resolves with the tool's answers as JSON. Rejects if
 * a load or a call fails.
 */
export function warmUp(
  capabilities: LoadCapabilities,
  host: HostCapability,
): Promise<readonly string[]> {
  return Promise.all(GRANTS.map((grant) => warmUpOnce(capabilities, host, grant)));
}

async function warmUpOnce(
  capabilities: LoadCapabilities,
  host: HostCapability,
  grant: GuestGrant,
): Promise<string> {
  const [dialect = ''] = dialects.keys();
  const loaded = load(
    {
      plugin: { id: 'warm-up', manifest: '' },
      grant,
      limits: LIMITS,
      dialect,
      code: CODE,
      sourceUrl: 'warm-up.js',
      assignedGlobals: [],
      timeZone: 'UTC',
      config: null,
      hostPowers: [],
      pluginInfo: null,
    },
    capabilities,
    host,
    () => {},
  );
  // Its schema is plain and never reaches the validator.
  const validation = makeValidation(() => undefined);
  validation.add({ schemas: [[TOOL, SCHEMA]] });
  const request = { id: 0, cancelled: undefined, onCancel: () => {} };
  const call = { tool: TOOL, input: { text: '' }, context: null };
  const { text } = await callLoaded(loaded, call, request, validation);
  return text;
}

const EVERYTHING: GuestGrant = {
  time: true,
  random: true,
  network: true,
  fs: [],
  storage: true,
  powers: [],
  env: {},
};

/**
 * All permissions, so that all endowments are compiled. Each appears once: V8 caches a text when it
 * sees it the second time, and SES compiles a text for the names of a compartment's globals.
 */
const GRANTS: readonly GuestGrant[] = [NOTHING, NOTHING, EVERYTHING];

const LIMITS: GuestLimits = {
  maxTimers: 0,
  maxResultBytes: 1_000,
  maxResultDepth: 10,
  maxResultNodes: 100,
  maxLogText: 100,
  maxFetches: 0,
  maxBodyBytes: 0,
  maxOutputText: 0,
};

const TOOL = 'warmUp';

/** In the form of a bundle's text. */
const CODE = `(function ($bulkhead) { 'use strict';
var exports = {};
Object.defineProperty(exports, 'tools', { get: () => tools, enumerable: true });
var tools = [{ id: '${TOOL}', execute: async ({ text }) => ({ text, list: [1, true, null] }) }];
return exports;
})`;

const SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number' } },
  required: ['text'],
};
