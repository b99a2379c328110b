import type { ListingSource } from '../format.js';

/** One extension as its own system's list of extensions shows it, with the tools it registered. */
export function listExtension({
  plugin,
  activation,
  offers,
}: ListingSource): Readonly<Record<string, unknown>> {
  const tools = Object.values(offers).flatMap((offer) => offer.tools);
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
    permissions: requestedOf(plugin.entries[0]?.introduction),
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

function requestedOf(introduction: unknown): unknown {
  if (typeof introduction !== 'object' || introduction === null) return [];
  const manifest: unknown = Reflect.get(introduction, 'manifest');
  return typeof manifest === 'object' && manifest !== null
    ? (Reflect.get(manifest, 'permissions') ?? [])
    : [];
}
