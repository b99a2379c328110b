import { isRecord } from '../../../sandbox/wire/json.js';
import type { ListingSource } from '../format.js';

/** One extension with its tools, as in Lumiverse's list of extensions. */
export function listExtension({
  plugin,
  activation,
  contributions,
}: ListingSource): Readonly<Record<string, unknown>> {
  const tools = Object.values(contributions).flatMap((entry) => entry.tools);
  return {
    identifier: plugin.id,
    name: plugin.name,
    version: plugin.version ?? '',
    author: plugin.about['author'] ?? '',
    description: plugin.description ?? '',
    github: plugin.about['repository'] ?? '',
    homepage: plugin.about['homepage'] ?? '',
    enabled: activation.reasons.length === 0,
    has_backend: plugin.entries.length > 0,
    permissions: requestedOf(plugin.entries[0]?.pluginInfo),
    tools: tools.map((tool) => ({
      name: tool.toolId,
      qualified_name: tool.id,
      display_name: tool.name,
      description: tool.description,
      parameters: tool.parameters.schema,
      extension_id: plugin.id,
      council_eligible: tool.council?.eligible ?? false,
      inline_available: tool.council?.inline ?? false,
    })),
  };
}

function requestedOf(pluginInfo: unknown): unknown {
  const manifest = isRecord(pluginInfo) ? pluginInfo['manifest'] : undefined;
  return isRecord(manifest) ? (manifest['permissions'] ?? []) : [];
}
