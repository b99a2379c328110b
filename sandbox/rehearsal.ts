import { NOTHING } from './endowing.js';
import type { HostPower } from './endowments/endowment.js';
import { callLoaded, load, type LoadPowers } from './loaded.js';
import { makeValidation } from './validation.js';
import type { GuestGrant, GuestLimits } from './wire/methods.js';

/**
 * Loads plugins that are nobody's, and calls their one tool, while the guest is blank: what the first
 * load and the first call would have to compile and to make is then there. Says nothing to the host. Resolves with
 * what the tool answered, as JSON; rejects where a load or a call failed.
 */
export function rehearse(powers: LoadPowers, host: HostPower): Promise<readonly string[]> {
  return Promise.all(GRANTS.map((grant) => rehearseOnce(powers, host, grant)));
}

async function rehearseOnce(
  powers: LoadPowers,
  host: HostPower,
  grant: GuestGrant,
): Promise<string> {
  const loaded = load(
    {
      plugin: { id: 'nobody', manifest: '' },
      grant,
      limits: LIMITS,
      dialect: 'pandora',
      code: CODE,
      sourceUrl: 'nobody.js',
      assignedGlobals: [],
      config: null,
      lent: [],
      introduction: null,
    },
    powers,
    host,
    () => {},
  );
  // Its schema is plain, and never gets to the validator.
  const validation = makeValidation(() => undefined);
  validation.add({ schemas: [[TOOL, SCHEMA]] });
  const request = { cancelled: undefined, onCancel: () => {} };
  const call = { tool: TOOL, input: { text: '' }, context: null };
  const { text } = await callLoaded(loaded, call, request, validation);
  return text;
}

const EVERYTHING: GuestGrant = {
  time: true,
  random: true,
  network: true,
  filesystem: true,
  storage: true,
  powers: [],
  environment: {},
};

/**
 * Everything, so that what makes it is compiled. Nothing, and as often as V8 has to see a text before
 * it keeps what came of it: SES has one compiled for the names of a compartment's globals, and most
 * compartments have these.
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

const TOOL = 'rehearse';

/** As bundles are. */
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
