import type { ListingSource } from '../format.js';

/** One plugin on Vellum's page of plugins. */
export function listPlugin({
  plugin,
  activation,
  contributions,
}: ListingSource): Readonly<Record<string, unknown>> {
  const surfaces = plugin.entries.flatMap((entry) => entry.surfaces ?? []);
  return {
    id: plugin.id,
    name: plugin.name,
    version: plugin.version,
    ...(plugin.description === undefined ? {} : { description: plugin.description }),
    ...plugin.about,
    enabled: activation.config !== null,
    installedAt:
      plugin.installedAtMs === undefined ? null : new Date(plugin.installedAtMs).toISOString(),
    edition: plugin.entries[0]?.edition,
    hooks: surfaces.filter(({ kind }) => kind === 'hooks').map(({ stem }) => stem),
    tools: Object.values(contributions).flatMap(({ tools }) =>
      tools.map(({ name, description, declaredRisk, category, executionTarget }) => ({
        name,
        description,
        defaultRiskLevel: declaredRisk,
        ...(category === undefined ? {} : { category }),
        executionTarget,
      })),
    ),
  };
}
