import type { Catalog, UnnamedTool } from '../../catalog/catalog.js';
import type { EventBus } from '../../events.js';
import type { Format } from '../../formats/format.js';
import { formatNamed } from '../../formats/table.js';
import { subjectHashOf } from '../../plugin/plugin.js';
import type { PluginQueue } from '../../scheduler/call-scheduler.js';
import type { Instance } from '../instance/instance.js';
import type { Place, PlacedElsewhere, PlacedTool } from '../types/place.js';
import type { InstalledPlugin, PluginTable, Revocation, RunnableTool } from './installed.js';
import { makeCollisionReporter } from './plugin-events.js';
import type { Remotes } from './remotes.js';

/**
 * Where a tool of the catalog runs: in a guest, or on a server that the engine does not confine.
 */
export type Placed = PlacedLocally | PlacedElsewhere;

export interface PlacedLocally extends Place {
  readonly instance: Instance;
  /** The queue for calls of its plugin. */
  readonly queue: PluginQueue;
  /** Happens when the tool is removed because a permission of its plugin was revoked. */
  readonly revoked: Revocation;
  readonly format: Format;
}

/** The part of a tool that determines where it runs. */
type Tool = Pick<UnnamedTool, 'plugin' | 'tool'>;

export interface Placement {
  /** All tools, in the order of registration. Their ids are unique. */
  readonly tools: readonly UnnamedTool[];
  /** Names of the host's tools that the workspace removes. */
  readonly removed: readonly string[];
  /** Where the tool runs. */
  placeOf(tool: Tool): Placed | undefined;
}

/** All tools of active plugins, the host and servers, with the place of each. */
export function placeTools(
  installed: readonly InstalledPlugin[],
  core: readonly PlacedTool[] = [],
  remote: readonly PlacedTool[] = [],
  placeProgram?: ProgramPlacer,
): Placement {
  const elsewhere = new Map(
    [...remote, ...core].map(({ tool, place }) => [`${tool.plugin}:${tool.tool}`, place]),
  );
  const here = new Map(installed.map((one) => [one.plugin.id, one]));
  /** Only plugins that were called since. Most of thousands are not called. */
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
        known = placesOf(owner, placeProgram);
        places.set(plugin, known);
      }
      return known.get(tool);
    },
  };
}

/** The tools of a plugin. If two have the same id, the later counts, as in the original systems. */
function runnable({ entries }: InstalledPlugin): ReadonlyMap<string, RunnableTool> {
  const tools = new Map<string, RunnableTool>();
  for (const entry of entries) {
    for (const tool of entry.tools) tools.set(tool.listed.tool, tool);
  }
  return tools;
}

/** Where a tool runs that is a program. */
export type ProgramPlacer = (
  tool: RunnableTool,
  plugin: InstalledPlugin['plugin'],
) => PlacedElsewhere;

function placesOf(
  installed: InstalledPlugin,
  placeProgram: ProgramPlacer | undefined,
): ReadonlyMap<string, Placed> {
  const { plugin, queue } = installed;
  const { version } = plugin;
  const format = formatNamed(plugin.format);
  const places = new Map<string, Placed>();
  for (const [id, tool] of runnable(installed)) {
    const { instance, revoked } = tool;
    if (format.callsTools === true && placeProgram !== undefined) {
      places.set(id, placeProgram(tool, plugin));
      continue;
    }
    places.set(id, {
      instance,
      hash: subjectHashOf(instance.bundle),
      revoked,
      version,
      format,
      queue,
    });
  }
  return places;
}

/** The catalog's tools with their places. It follows changes of plugins and remotes. */
export interface ToolTable {
  placeOf(tool: Tool): Placed | undefined;
}

export interface ToolTableSpec {
  readonly catalog: Catalog;
  readonly replace: (tools: readonly UnnamedTool[], removed: readonly string[]) => void;
  readonly plugins: PluginTable;
  readonly remotes: Pick<Remotes, 'placed' | 'onChange'>;
  readonly core: readonly PlacedTool[];
  /** Further tools of the host, which depend on the other tools. Default: none. */
  readonly derived?: ((others: readonly UnnamedTool[]) => readonly PlacedTool[]) | undefined;
  readonly placeProgram: ProgramPlacer;
  readonly events: EventBus;
}

export function makeToolTable(spec: ToolTableSpec): ToolTable {
  const { catalog, replace, plugins, remotes, core, derived, placeProgram, events } = spec;
  const reportCollisions = makeCollisionReporter(events);
  let placement = placeTools([], core);
  const update = (): void => {
    const installed = plugins.list();
    const ids = new Set(installed.map(({ plugin }) => plugin.id));
    const elsewhere = remotes.placed(ids);
    placement = placeTools(installed, core, elsewhere, placeProgram);
    if (derived !== undefined) {
      const host = [...core, ...derived(placement.tools)];
      placement = placeTools(installed, host, elsewhere, placeProgram);
    }
    replace(placement.tools, placement.removed);
    reportCollisions(catalog.collisions(), installed);
    events.emit({ type: 'catalog-changed', tools: catalog.list().length });
  };
  plugins.onChange(update);
  remotes.onChange(update);
  return { placeOf: (tool) => placement.placeOf(tool) };
}
