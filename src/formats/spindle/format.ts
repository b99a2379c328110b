import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { Contributions } from '../../plugin/tool.js';
import type { Activation, EmptyPlugin, Format } from '../format.js';
import { quoteText } from '../quote.js';
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
  permissionsPath: ['bulkhead', 'permissions'],
  actsUncalled: true,
  detect: async (reader, directory) => (await findManifest(reader, directory)) !== undefined,
  read: readSpindle,
  decideActivation: (plugin, raw) => decideActivation(plugin.id, raw),
  readContributions,
  approvalByFlagOnly: true,
  registersAtRunTime: true,
  listingPowers: ['tools'],
  powersKey: 'permissions',
  describeEmpty,
  findMistakes,
  remedyFor,
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
  backgroundEvents: ({ events }) => events.filter((event) => !DELIVERED.has(event)),
  list: listExtension,
};

function describeEmpty({ manifest }: Plugin): EmptyPlugin {
  return {
    level: 'error',
    message:
      'The extension has no backend: neither dist/backend.js nor src/backend.ts. A frontend runs in a browser, not here.',
    fix: `Add one of these files, or name another one in ${manifest} with "entry_backend".`,
  };
}

function findMistakes({ tools, registrations }: Contributions): readonly string[] {
  if (registrations === undefined || registrations.events.includes(CALLED)) return [];
  return tools.map(
    ({ toolId }) =>
      `tool ${quoteText(toolId)}: nothing handles the event ${CALLED}, so its calls fail. Write: spindle.on('${CALLED}', (call) => …)`,
  );
}

function remedyFor(message: string): string | undefined {
  const [, permission] = /^PERMISSION_DENIED: ([a-z_.]+) — /.exec(message) ?? [];
  if (permission !== undefined) {
    return `Add "${permission}" to "permissions" in spindle.json, and grant it.`;
  }
  if (message !== `No ${CALLED} handler registered`) return undefined;
  return `Write: spindle.on('${CALLED}', (call) => …).`;
}

const CALLED = 'TOOL_INVOCATION';

/** Events that reach an extension whenever they happen. */
const DELIVERED: ReadonlySet<string> = new Set([CALLED, 'PERMISSION_CHANGED', 'permission_denied']);

/**
 * An extension needs no configuration. It is active unless the operator disables it, or describes
 * its host wrongly.
 */
function decideActivation(id: string, raw: unknown): Activation {
  const given: JsonObject = isRecord(raw) ? JSON.parse(JSON.stringify(raw)) : {};
  const isOff = given['enabled'] === false;
  const problems = problemsOf(given);
  const reasons = [
    ...(isOff ? [`it is disabled; set config[${JSON.stringify(id)}].enabled to true`] : []),
    ...problems.map((problem) => `its configuration is not valid: ${problem}`),
  ];
  return {
    config: reasons.length === 0 ? given : null,
    reasons,
    validationErrors: problems,
    environment: [],
  };
}

function problemsOf({ lumiverseVersion, hostCapabilities }: JsonObject): readonly string[] {
  const isVersion = lumiverseVersion === undefined || typeof lumiverseVersion === 'string';
  const areRevisions =
    hostCapabilities === undefined ||
    (isRecord(hostCapabilities) && Object.values(hostCapabilities).every(isRevision));
  return [
    ...(isVersion ? [] : ['lumiverseVersion: must be a text such as "1.2.0"']),
    ...(areRevisions
      ? []
      : [
          'hostCapabilities: must have a revision for each name, such as { "preset-editor-v1": 1 }',
        ]),
  ];
}

function isRevision(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}
