import type { JsonObject } from '../../sandbox/wire/messages.js';
import { formats } from '../formats/table.js';
import type { Bundle } from '../plugin/plugin.js';
import type { Offer } from '../plugin/tool.js';
import type { OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';
import type { InstalledEntry, RunnableTool } from './installed.js';
import { listTool } from './list-tool.js';
import type { Offers } from './offers.js';
import type { Schemas } from './resident.js';
import { makeRooms, type Rooms } from './rooms.js';
import type { PluginProblem } from './status.js';

export interface RunningSpec {
  readonly spec: EntrySpec & { readonly config: JsonObject };
  /** Where it was asked what it offers. */
  readonly room: OpenEntry;
  /** What it answered. */
  readonly described: unknown;
  readonly offers: Offers;
  readonly onChange: () => void;
}

/** An entry that can be called, with what it offers and holds as both are at the time. */
export function runEntry({ spec, room, described, offers, onChange }: RunningSpec): InstalledEntry {
  const { plugin, entry, bundle, config, settings } = spec;
  const rooms = makeRooms(spec, room);
  let offer: Offer;
  let tools: readonly RunnableTool[] = [];

  const place = (): void => {
    tools = offer.tools.map((tool): RunnableTool => {
      const own = rooms.of(tool);
      const { grant } = own;
      return { listed: listTool({ plugin, entry, tool, config, grant, settings }), room: own };
    });
    tellSchemas(rooms, offer);
  };
  const take = (answer: unknown): void => {
    offer = formats[plugin.format].readOffer(answer, {
      plugin,
      entry,
      broken: bundle.broken.map(({ file }) => file),
      maxTimeoutMs: settings.limits.timeoutMs,
    });
    place();
  };
  take(described);

  return {
    entry,
    get effective() {
      return room.grant.permissions;
    },
    get rooms() {
      return rooms.all();
    },
    get tools() {
      return tools;
    },
    get offer() {
      return offer;
    },
    get problems() {
      return problemsOf(bundle, offer);
    },
    running: {
      follow: (grant) => {
        const followed = rooms.follow(grant);
        place();
        onChange();
        return followed;
      },
      refresh: async () => {
        take(await offers.of(plugin.id, room, config));
        onChange();
      },
    },
  };
}

function problemsOf(bundle: Bundle, offer: Offer): readonly PluginProblem[] {
  return [
    ...bundle.broken.map(({ message }): PluginProblem => ({ code: 'BUNDLE_FAILED', message })),
    ...offer.refused,
    ...offer.problems.map((message): PluginProblem => ({ code: 'INVALID_TOOL', message })),
  ];
}

function tellSchemas(rooms: Rooms, { tools }: Offer): void {
  const schemas: Schemas = tools.map(({ toolId, parameters }) => [toolId, parameters.schema]);
  for (const { resident } of rooms.all()) resident.setSchemas(schemas);
}
