import { join } from 'node:path';
import type { Activation, Format, DirectoryReader, ToolFault } from '../format.js';
import { requiresApproval, runsInBackground } from '../approval.js';
import { readAnswer } from './answer.js';
import { listPlugin } from './listing.js';
import { readContributions } from './contributions.js';
import { extensionShape, MANIFEST_FILE, parsePackage, PLUGIN_API } from './package.js';
import { VELLUM_LIMITS } from './limits.js';
import { pluginApi } from './plugin-api.js';
import { readVellum } from './read.js';
import { readWorkspace } from './workspace.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Plugin } from '../../plugin/plugin.js';
import { isRecord } from '../../../sandbox/wire/json.js';

export const vellum: Format = {
  name: 'vellum',
  manifestFile: MANIFEST_FILE,
  provides: [PLUGIN_API],
  describeEmpty: () => ({
    level: 'error',
    message: 'The plugin has no tools and no hooks.',
    fix: 'Put each tool into tools/NAME.ts, and each hook into hooks/NAME.ts.',
  }),
  manifestHas: 'a directory tools or hooks, or @vellumai/plugin-api in peerDependencies',
  manifestShape: extensionShape,
  permissionsPlace: 'as "bulkhead": { "permissions": … }',
  permissionsPath: ['bulkhead', 'permissions'],
  bareNames: true,
  refusesForeignLinks: true,
  sortsByInstallTime: true,
  detect,
  read: readVellum,
  decideActivation,
  readContributions,
  requiresApproval,
  runsInBackground,
  readAnswer,
  describeFault,
  readWorkspace,
  interfaces: [pluginApi],
  list: listPlugin,
};

/**
 * Whether the directory is a package with tools or hooks, or a package that declares itself a
 * plugin. The latter may have only skills or routes, which do not run here.
 */
async function detect(reader: DirectoryReader, directory: string): Promise<boolean> {
  const manifest = join(directory, MANIFEST_FILE);
  if ((await reader.stat(manifest)) !== 'file') return false;
  for (const surface of ['tools', 'hooks']) {
    if ((await reader.stat(join(directory, surface))) === 'directory') return true;
  }
  const text = await reader
    .readFile(manifest, VELLUM_LIMITS.maxManifestBytes)
    .catch(() => undefined);
  const read = text === undefined ? undefined : parsePackage(text);
  return (
    read !== undefined && read.ok && (read.value.declaresPlugin || PLUGIN_API in read.value.peers)
  );
}

/** A plugin is active unless its directory or the operator disables it. */
function decideActivation(plugin: Plugin, raw: unknown): Activation {
  const given: unknown = raw ?? {};
  const problems = isRecord(given) ? [] : ['config: must be an object'];
  const isOff = isRecord(given) && given['enabled'] === false;
  const reasons = [
    ...(plugin.disabled === undefined ? [] : [plugin.disabled]),
    ...(isOff ? [`it is disabled; set config[${JSON.stringify(plugin.id)}].enabled to true`] : []),
    ...problems.map((problem) => `its configuration is not valid: ${problem}`),
  ];
  const copy: JsonObject = JSON.parse(
    JSON.stringify(isRecord(given) ? { ...plugin.configDefaults, ...given } : given),
  );
  return {
    config: reasons.length === 0 ? copy : null,
    reasons,
    validationErrors: problems,
    environment: [],
  };
}

/** Names of errors whose message is the complete answer. */
const ANSWERS: ReadonlySet<string> = new Set([
  'AbortError',
  'PermissionDeniedError',
  'ThrownValue',
  'ToolError',
]);

/** The text about a failed call for a model, in Vellum's words. */
function describeFault({ tool, code, name, message, deadlineMs }: ToolFault): string {
  if (code === 'DEADLINE_EXCEEDED') {
    // The original adds that the tool may still be running. Here the tool is stopped.
    return `Tool "${tool}" timed out after ${(deadlineMs ?? 0) / 1000}s. It was stopped. Consider increasing limits.timeoutMs of the engine.`;
  }
  if (code !== 'TOOL_FAILED' || name === undefined || ANSWERS.has(name)) return message;
  return `Tool "${tool}" encountered an unexpected error: ${message}`;
}
