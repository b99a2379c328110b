import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { PluginEntry } from '../plugin/plugin.js';
import type { ToolAnnotations, ToolDefinition } from '../plugin/tool.js';
import { isRecord } from '../../sandbox/wire/json.js';

/**
 * Whether a static or resolved tool needs approval: the entry's default, unless the operator's
 * `requireApproval` names the tool by its own id or as `plugin:tool`. If both names are present and
 * differ, the tool needs approval.
 */
export function requiresApproval(
  entry: Pick<PluginEntry, 'requireApproval'>,
  tool: Pick<ToolDefinition, 'id' | 'toolId'>,
  config: JsonObject | null,
): boolean {
  const overrides: unknown = config?.['requireApproval'];
  if (!isRecord(overrides)) return entry.requireApproval;
  const chosen = [tool.toolId, tool.id]
    .filter((name) => Object.hasOwn(overrides, name))
    .map((name) => overrides[name])
    .filter((value) => typeof value === 'boolean');
  return chosen.length === 0 ? entry.requireApproval : chosen.includes(true);
}

/** Whether a tool may run unattended: it declares that it only reads, and needs no approval. */
export function runsInBackground(annotations: ToolAnnotations, needsApproval: boolean): boolean {
  return annotations.readOnlyHint && !needsApproval;
}
