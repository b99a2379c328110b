import type { Catalog, CatalogTool } from './catalog.js';
import type { Collision } from './precedence.js';

/** What a catalog has of each plugin: looked through once, however many plugins are told of. */
export interface CatalogByPlugin {
  tools(plugin: string): readonly CatalogTool[];
  collisions(plugin: string): readonly Collision[];
}

export function byPlugin(catalog: Catalog): CatalogByPlugin {
  const tools = grouped(catalog.list());
  const collisions = grouped(catalog.collisions());
  return {
    tools: (plugin) => tools.get(plugin) ?? [],
    collisions: (plugin) => collisions.get(plugin) ?? [],
  };
}

function grouped<Item extends { readonly plugin: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.plugin);
    if (group === undefined) groups.set(item.plugin, [item]);
    else group.push(item);
  }
  return groups;
}
