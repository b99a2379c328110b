import type { UnnamedTool } from '../catalog/catalog.js';
import type { Format } from '../formats/format.js';
import { formats } from '../formats/table.js';
import type { RemoteTool } from '../remotes/remote.js';
import type { OpenEntry } from './entry.js';
import type { Installed } from './installed.js';

/** Where a tool of the catalog runs: in a guest of ours, or at a server that we do not confine. */
export type Placed = PlacedHere | PlacedElsewhere;

interface Place {
  /** Of what would run: what is approved is this, not its name. */
  readonly hash: string;
  /** Of its plugin. */
  readonly version: string | undefined;
  /** Calls under way in its plugin. */
  readonly load: { underWay: number };
}

export interface PlacedHere extends Place {
  readonly room: OpenEntry;
  /** Aborted when the tool goes because a permission was taken from its plugin. */
  readonly revoked: AbortSignal;
  readonly format: Format;
}

export interface PlacedElsewhere extends Place {
  readonly remote: RemoteTool;
  readonly format: undefined;
}

/** All tools of all active plugins, and where each of them, by its id, runs. */
export function placeTools(installed: readonly Installed[]): {
  readonly tools: readonly UnnamedTool[];
  readonly places: ReadonlyMap<string, PlacedHere>;
} {
  const tools = new Map<string, UnnamedTool>();
  const places = new Map<string, PlacedHere>();
  for (const { plugin, entries, load } of installed) {
    const format = formats[plugin.format];
    for (const { listed, room, revoked } of entries.flatMap((entry) => entry.tools)) {
      // Of two tools of one plugin with one id the later counts, as in the original.
      const id = `${listed.plugin}:${listed.tool}`;
      tools.set(id, listed);
      const { hash } = room.bundle;
      places.set(id, { room, hash, revoked, version: plugin.version, format, load });
    }
  }
  return { tools: [...tools.values()], places };
}
