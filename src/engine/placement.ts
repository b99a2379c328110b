import type { UnnamedTool } from '../catalog/catalog.js';
import type { Format } from '../formats/format.js';
import { formats } from '../formats/table.js';
import type { OpenEntry } from './entry.js';
import type { Installed } from './installed.js';

/** Where a tool of the catalog runs. */
export interface Placed {
  readonly room: OpenEntry;
  /** Aborted when the tool goes because a permission was taken from its plugin. */
  readonly revoked: AbortSignal;
  /** Of its plugin. */
  readonly version: string | undefined;
  readonly format: Format;
  /** Calls under way in its plugin. */
  readonly load: { underWay: number };
}

/** All tools of all active plugins, and where each of them, by its id, runs. */
export function placeTools(installed: readonly Installed[]): {
  readonly tools: readonly UnnamedTool[];
  readonly places: ReadonlyMap<string, Placed>;
} {
  const tools = new Map<string, UnnamedTool>();
  const places = new Map<string, Placed>();
  for (const { plugin, entries, load } of installed) {
    const format = formats[plugin.format];
    for (const { listed, room, revoked } of entries.flatMap((entry) => entry.tools)) {
      // Of two tools of one plugin with one id the later counts, as in the original.
      const id = `${listed.plugin}:${listed.tool}`;
      tools.set(id, listed);
      places.set(id, { room, revoked, version: plugin.version, format, load });
    }
  }
  return { tools: [...tools.values()], places };
}
