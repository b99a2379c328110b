import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { effectiveRisk } from '../../approval/risk.js';
import { whyItAsks } from '../../approval/policy.js';
import type { UnnamedTool } from '../../catalog/catalog.js';
import { formatNamed } from '../../formats/table.js';
import type { Grant } from '../../permissions/grant.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import type { Settings } from '../types/settings.js';

export interface ToolListing {
  readonly plugin: Plugin;
  readonly entry: PluginEntry;
  readonly tool: ToolDefinition;
  readonly config: JsonObject;
  /** The permissions of the tool's code. */
  readonly grant: Grant;
  readonly settings: Pick<Settings, 'tolerance' | 'riskPolicy' | 'trustHints' | 'hostPowers'>;
}

/** A tool as the catalog shows it, with its risk and whether its calls need approval. */
export function listTool(listing: ToolListing): UnnamedTool {
  const { plugin, entry, tool, config, grant, settings } = listing;
  const format = formatNamed(plugin.format);
  const { annotations, declaredRisk } = tool;
  const requireApproval = format.requiresApproval(entry, tool, config);
  const { band, why } = effectiveRisk({
    declared: declaredRisk,
    reach: entry.confinement === 'host' ? 'unconfined' : grant.permissions,
    trusted: settings.trustHints.includes(plugin.id),
    policy: settings.riskPolicy,
    riskOfPower: settings.hostPowers.riskOf,
  });
  const risk = { risk: band, riskWhy: why };
  const byFlagAlone = format.approvalByFlagOnly ?? false;
  const asks = whyItAsks({ ...risk, requireApproval, byFlagAlone }, settings.tolerance);
  return {
    plugin: plugin.id,
    tool: tool.toolId,
    ...(plugin.origin === undefined ? {} : { source: plugin.origin }),
    ...(format.bareNames === undefined ? {} : { bare: format.bareNames }),
    title: annotations.title ?? tool.name,
    description: tool.description,
    inputSchema: tool.parameters.schema,
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    annotations,
    timeoutMs: tool.timeoutMs,
    declaredRisk,
    ...risk,
    ...(tool.category === undefined ? {} : { category: tool.category }),
    ...(tool.executionTarget === undefined ? {} : { executionTarget: tool.executionTarget }),
    ...(tool.exclusive === undefined ? {} : { exclusive: tool.exclusive }),
    ...(tool.surface === undefined ? {} : { surface: tool.surface }),
    ...aliasesOf(listing),
    ...(tool.council === undefined ? {} : { council: tool.council }),
    requireApproval,
    ...(asks === undefined ? {} : { asks }),
    background: format.runsInBackground(annotations, asks !== undefined),
    confinement: entry.confinement,
  };
}

function aliasesOf({ plugin, entry, tool }: ToolListing): Pick<UnnamedTool, 'aliases'> {
  const aliases = formatNamed(plugin.format).aliasesOf?.(entry, tool.toolId);
  return aliases === undefined || aliases.length === 0 ? {} : { aliases };
}
