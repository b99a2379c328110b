import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import type { ToolAnnotations, ToolDefinition } from '../../plugin/tool.js';
import { isObject } from '../../schema/shape.js';

/**
 * Whether a tool asks before it runs, static or resolved alike: its entry's default, unless the
 * operator's `requireApproval` names the tool, by its own id or with the plugin's before it. Where
 * both names are there and differ, it asks.
 */
export function requiresApproval(
  entry: Pick<PluginEntry, 'requireApproval'>,
  tool: Pick<ToolDefinition, 'id' | 'toolId'>,
  config: JsonObject | null,
): boolean {
  const overrides: unknown = config?.['requireApproval'];
  if (!isObject(overrides)) return entry.requireApproval;
  const said = [tool.toolId, tool.id]
    .filter((name) => Object.hasOwn(overrides, name))
    .map((name) => overrides[name])
    .filter((value) => typeof value === 'boolean');
  return said.length === 0 ? entry.requireApproval : said.includes(true);
}

/** Whether a tool may run unattended: it says that it only reads, and nobody has to be asked. */
export function runsInBackground(annotations: ToolAnnotations, asksFirst: boolean): boolean {
  return annotations.readOnlyHint && !asksFirst;
}
