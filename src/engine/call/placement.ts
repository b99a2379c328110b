import type { UnnamedTool } from '../../catalog/catalog.js';
import type { Format } from '../../formats/format.js';
import { formats } from '../../formats/table.js';
import type { OpenEntry } from '../entry/entry.js';
import type { Installed, RunnableTool } from '../plugins/installed.js';
import type { Place, PlacedElsewhere, PlacedTool } from './placed-elsewhere.js';
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

/** A tool as far as it says where it runs. */
type Tool = Pick<UnnamedTool, 'plugin' | 'tool'>;

export interface Placement {
  /** All tools, in the order in which they are registered. Ids are unique among them. */
  readonly tools: readonly UnnamedTool[];
  /** Names of the host's own tools that the workspace takes away. */
  readonly removed: readonly string[];
  /** Where one of them runs. */
  placeOf(tool: Tool): Placed | undefined;
}

/** All tools of all active plugins, of the host, and of servers, and where each of them runs. */
export function placeTools(
  installed: readonly Installed[],
  core: readonly PlacedTool[] = [],
  remote: readonly PlacedTool[] = [],
): Placement {
  const elsewhere = new Map(
    [...remote, ...core].map(({ tool, place }) => [`${tool.plugin}:${tool.tool}`, place]),
  );
  const here = new Map(installed.map((one) => [one.plugin.id, one]));
  /** Of plugins that were called since: most of thousands are not. */
  const places = new Map<string, ReadonlyMap<string, Placed>>();
  return {
    tools: [
      ...core.map(({ tool }) => tool),
      ...installed.flatMap((one) => [...runnable(one).values()].map(({ listed }) => listed)),
      ...remote.map(({ tool }) => tool),
    ],
    removed: installed.flatMap(({ plugin }) => plugin.removes ?? []),
    placeOf: ({ plugin, tool }) => {
      const owner = here.get(plugin);
      if (owner === undefined) return elsewhere.get(`${plugin}:${tool}`);
      let known = places.get(plugin);
      if (known === undefined) {
        known = placesOf(owner);
        places.set(plugin, known);
      }
      return known.get(tool);
    },
  };
}

/** The tools of a plugin. Of two with one id the later counts, as in the original. */
function runnable({ entries }: Installed): ReadonlyMap<string, RunnableTool> {
  const tools = new Map<string, RunnableTool>();
  for (const entry of entries) {
    for (const tool of entry.tools) tools.set(tool.listed.tool, tool);
  }
  return tools;
}

function placesOf(installed: Installed): ReadonlyMap<string, Placed> {
  const { plugin, lane } = installed;
  const { version } = plugin;
  const format = formats[plugin.format];
  const places = new Map<string, Placed>();
  for (const [id, { room, revoked }] of runnable(installed)) {
    places.set(id, { room, hash: room.bundle.hash, revoked, version, format, lane });
  }
  return places;
}
