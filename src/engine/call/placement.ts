import type { UnnamedTool } from '../../catalog/catalog.js';
import type { Format } from '../../formats/format.js';
import { formats } from '../../formats/table.js';
import type { OpenEntry } from '../entry/entry.js';
import type { Installed } from '../plugins/installed.js';
import type { Place, PlacedElsewhere } from './placed-elsewhere.js';
import type { Lane } from '../../traffic/traffic.js';
import type { Revocation } from './revocation.js';

/** Where a tool of the catalog runs: in a guest of ours, or at a server that we do not confine. */
export type Placed = PlacedHere | PlacedElsewhere;

export interface PlacedHere extends Place {
  readonly room: OpenEntry;
  /** The calls of its plugin. */
  readonly lane: Lane;
  /** Aborted when the tool goes because a permission was taken from its plugin. */
  readonly revoked: Revocation;
  readonly format: Format;
}

/**
 * All tools of all active plugins and the host's own, in the order in which they are registered, and
 * where each of them, by its id, runs.
 */
export function placeTools(
  installed: readonly Installed[],
  core: readonly { readonly tool: UnnamedTool; readonly place: PlacedElsewhere }[] = [],
): {
  readonly tools: readonly UnnamedTool[];
  readonly places: ReadonlyMap<string, Placed>;
  /** Names of the host's own tools that the workspace takes away. */
  readonly removed: readonly string[];
} {
  const tools = new Map<string, UnnamedTool>();
  const places = new Map<string, Placed>();
  const add = (tool: UnnamedTool, place: Placed): void => {
    // Of two tools of one plugin with one id the later counts, as in the original.
    const id = `${tool.plugin}:${tool.tool}`;
    tools.set(id, tool);
    places.set(id, place);
  };
  for (const { tool, place } of core) add(tool, place);
  for (const { plugin, entries, lane } of installed) {
    const format = formats[plugin.format];
    for (const { listed, room, revoked } of entries.flatMap((entry) => entry.tools)) {
      const { hash } = room.bundle;
      add(listed, { room, hash, revoked, version: plugin.version, format, lane });
    }
  }
  return {
    tools: [...tools.values()],
    places,
    removed: installed.flatMap(({ plugin }) => plugin.removes ?? []),
  };
}
