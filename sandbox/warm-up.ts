import { dialects } from './dialects/table.js';
import { NOTHING } from './endower.js';
import type { HostCapability } from './endowments/endowment.js';
import { callLoaded, load, type LoadCapabilities } from './loaded.js';
import { makeValidation } from './validation.js';
import type { GuestGrant, GuestLimits, LoadParams } from './wire/methods.js';
import { NODE_UNIT, OWN_UNIT, type Unit, writeUnits } from './wire/units.js';

/** What `warmUp` also loads, if the time for it is not that of a guest. */
export interface WarmUpOptions {
  /** Also a plugin with separate packages. */
  readonly packages?: boolean;
}

/**
 * Loads dummy plugins on standby and calls their tool, so that V8 compiles the code of a first load
 * and a first call. Sends nothing to the host. Resolves with the tool's answers as JSON. Rejects if
 * a load or a call fails.
 */
export function warmUp(
  capabilities: LoadCapabilities,
  host: HostCapability,
  { packages = false }: WarmUpOptions = {},
): Promise<readonly string[]> {
  return Promise.all([
    ...GRANTS.map((grant) => warmUpOnce(capabilities, host, grant)),
    ...(packages ? [warmUpOnce(capabilities, host, EVERYTHING, withPackages())] : []),
  ]);
}

async function warmUpOnce(
  capabilities: LoadCapabilities,
  host: HostCapability,
  grant: GuestGrant,
  bundle: Pick<LoadParams, 'code' | 'packages'> = { code: CODE },
): Promise<string> {
  const [dialect = ''] = dialects.keys();
  const loaded = load(
    {
      plugin: { id: 'warm-up', manifest: '' },
      grant,
      limits: LIMITS,
      dialect,
      ...bundle,
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
const CODE = ownCode('');

function ownCode(more: string): string {
  return `(function ($bulkhead) { 'use strict';
var exports = {};
Object.defineProperty(exports, 'tools', { get: () => tools, enumerable: true });
${more}var tools = [{ id: '${TOOL}', execute: async ({ text }) => ({ text, list: [1, true, null] }) }];
return exports;
})`;
}

/** A package that shares a compartment, one with a compartment of its own, and a stand-in of Node's modules. */
function withPackages(): Pick<LoadParams, 'code' | 'packages'> {
  const [a, b] = ['node_modules/a', 'node_modules/b'];
  return {
    packages: { [a]: {}, [b]: { network: true } },
    code: writeUnits([
      unitOf(OWN_UNIT, ownCode(`$bulkhead.link("${a}/index.js").one;\n`), [a]),
      unitOf(a, offering(`${a}/index.js`, `${b}/index.js`), [b]),
      unitOf(b, offering(`${b}/index.js`, `${NODE_UNIT}/events`), []),
      unitOf(NODE_UNIT, offering(`${NODE_UNIT}/events`), []),
    ]),
  };
}

function unitOf(path: string, code: string, imports: readonly string[]): Unit {
  return { path, code, imports, assigned: [], isAsync: false, undeclared: [] };
}

/** A unit that offers a file with exports of each kind, and imports another one. */
function offering(file: string, imported?: string): string {
  const link = imported === undefined ? '' : `$bulkhead.link(${JSON.stringify(imported)});`;
  return `(function ($bulkhead) { 'use strict';
$bulkhead.offer({ __proto__: null, ${JSON.stringify(file)}: () => {
  ${link}
  class Shape { draw() { return 1; } static make() { return new this(); } }
  class Square extends Shape {}
  return { Shape, Square, one: (value) => value, inner: { two() {} }, list: [1] };
} });
})`;
}

const SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number' } },
  required: ['text'],
};
