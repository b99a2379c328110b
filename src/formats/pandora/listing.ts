import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { makePermissions, scopesOf } from '../../permissions/permissions.js';
import type { Permissions } from '../../permissions/kind.js';
import type { ConfigField, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { PluginAlert, ToolAnnotations, ToolDefinition } from '../../plugin/tool.js';
import type { ListingSource, VariableState } from '../format.js';
import { type ManifestPermissions, writeManifestPermissions } from '../manifest-permissions.js';

/** One plugin, as Pandora's `/api/plugins` returns it. */
export interface PandoraListing {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly author?: string;
  readonly icon?: string;
  readonly version?: string;
  readonly homepage?: string;
  readonly repository?: string;
  readonly license?: string;
  readonly envVars: readonly VariableState[];
  readonly envConfigured: boolean;
  readonly configFields: readonly ConfigField[];
  readonly enabled: boolean;
  /** Values of password fields are hidden. */
  readonly config: JsonObject | null;
  readonly provides: {
    readonly tools?: ListedTools;
    readonly agents?: ListedAgents;
    readonly channels?: { channelIds: []; channels: []; alerts: readonly PluginAlert[] };
  };
  readonly validationErrors: readonly string[];
}

export interface ListedAgents {
  readonly agentIds: readonly string[];
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    readonly description: string;
  }[];
  readonly alerts: readonly PluginAlert[];
}

export interface ListedTools {
  readonly toolIds: readonly string[];
  /** Static and resolved tools. The original omits resolved ones. */
  readonly tools: readonly ListedTool[];
  readonly sandbox: 'compartment' | 'host';
  readonly permissions: ManifestPermissions;
  readonly requireApproval: boolean;
  readonly alerts: readonly PluginAlert[];
}

export interface ListedTool {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly permissions: ManifestPermissions;
  readonly sandbox: 'compartment' | 'host';
  readonly annotations: ToolAnnotations;
  /** Milliseconds. */
  readonly timeout: number;
}

/** One plugin, as Pandora's plugin page shows it. */
export function listPlugin({
  plugin,
  activation,
  config,
  contributions,
}: ListingSource): PandoraListing {
  const { author, icon, homepage, repository, license } = plugin.about;
  const known = {
    description: plugin.description,
    author,
    icon,
    version: plugin.version,
    homepage,
    repository,
    license,
  };
  return {
    id: plugin.id,
    name: plugin.name,
    ...present(known),
    envVars: activation.environment,
    envConfigured: activation.environment.every((need) => !need.required || need.configured),
    configFields: plugin.config,
    enabled: config !== undefined && config['enabled'] !== false,
    config: config === undefined ? null : hidePasswords(config, plugin.config),
    provides: {
      ...present({ tools: listTools(plugin.entries, contributions) }),
      ...present({ agents: listAgents(plugin, contributions) }),
      ...(has(plugin, 'channels')
        ? { channels: { channelIds: [], channels: [], alerts: NOT_RUN } }
        : {}),
    },
    validationErrors: activation.validationErrors,
  };
}

const NOT_RUN: readonly PluginAlert[] = [
  { level: 'info', message: 'This part of the plugin is not run here.' },
];

function has(plugin: Plugin, surface: PluginEntry['surface']): boolean {
  return plugin.entries.some((entry) => entry.surface === surface);
}

/** Omits keys without a value. */
function present<Value>(
  values: Readonly<Record<string, Value | undefined>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

function hidePasswords(config: JsonObject, fields: readonly ConfigField[]): JsonObject {
  const secret = new Set(fields.filter(({ type }) => type === 'password').map(({ key }) => key));
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, secret.has(key) ? '********' : value]),
  );
}

function listAgents(
  { id, entries }: Plugin,
  contributions: ListingSource['contributions'],
): ListedAgents | undefined {
  const provided = entries.filter((entry) => entry.surface === 'agents');
  if (provided.length === 0) return undefined;
  const agents = provided.flatMap(({ key }) => {
    const agent = contributions[key]?.agent;
    if (agent === undefined) return [];
    return [{ id: `${id}:${agent.agentId}`, name: agent.name, description: agent.description }];
  });
  return { agentIds: agents.map((agent) => agent.id), agents, alerts: [] };
}

function listTools(
  all: readonly PluginEntry[],
  contributions: ListingSource['contributions'],
): ListedTools | undefined {
  const entries = all.filter((entry) => entry.surface === 'tools');
  if (entries.length === 0) return undefined;
  const tools = entries.flatMap((entry) =>
    (contributions[entry.key]?.tools ?? []).map((tool) => listTool(tool, entry)),
  );
  return {
    toolIds: tools.map((tool) => tool.id),
    tools,
    sandbox: entries.some(isHost) ? 'host' : 'compartment',
    permissions: writeManifestPermissions(union(entries.map((entry) => entry.declared))),
    requireApproval: entries.some((entry) => entry.requireApproval),
    alerts: entries.flatMap((entry) => contributions[entry.key]?.alerts ?? []),
  };
}

function isHost(entry: PluginEntry): boolean {
  return entry.confinement === 'host';
}

function listTool(tool: ToolDefinition, entry: PluginEntry): ListedTool {
  const { id, name, description, permissions, annotations, timeoutMs } = tool;
  return {
    id,
    name,
    description,
    permissions: writeManifestPermissions(permissions),
    sandbox: entry.confinement,
    annotations,
    timeout: timeoutMs,
  };
}

/** For display only: each entry has separate permissions. */
function union(all: readonly Permissions[]): Permissions {
  return makePermissions((name) => [
    ...new Set(all.flatMap((permissions) => scopesOf(permissions, name))),
  ]);
}
