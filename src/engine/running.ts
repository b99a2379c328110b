import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { UnnamedTool } from '../catalog/catalog.js';
import { formats } from '../formats/table.js';
import type { Plugin, PluginEntry } from '../plugin/plugin.js';
import type { Offer, ToolDefinition } from '../plugin/tool.js';
import type { OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';
import type { InstalledEntry, RunnableTool } from './installed.js';
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
  const { plugin, entry, config, settings } = spec;
  const rooms = makeRooms(spec, room);
  let offer: Offer;
  let tools: readonly RunnableTool[] = [];

  const place = (): void => {
    tools = offer.tools.map((tool): RunnableTool => ({
      listed: listed(plugin, entry, tool, config),
      room: rooms.of(tool),
    }));
    tellSchemas(rooms, offer);
  };
  const take = (answer: unknown): void => {
    offer = formats[plugin.format].readOffer(answer, {
      plugin,
      entry,
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
      return problemsOf(offer);
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

function problemsOf(offer: Offer): readonly PluginProblem[] {
  return [
    ...offer.refused,
    ...offer.problems.map((message): PluginProblem => ({ code: 'INVALID_TOOL', message })),
  ];
}

function tellSchemas(rooms: Rooms, { tools }: Offer): void {
  const schemas: Schemas = tools.map(({ toolId, parameters }) => [toolId, parameters.schema]);
  for (const { resident } of rooms.all()) resident.setSchemas(schemas);
}

function listed(
  plugin: Plugin,
  entry: PluginEntry,
  tool: ToolDefinition,
  config: JsonObject,
): UnnamedTool {
  const asks = formats[plugin.format].requiresApproval(entry, tool, config);
  const { annotations } = tool;
  return {
    plugin: plugin.id,
    tool: tool.toolId,
    title: annotations.title ?? tool.name,
    description: tool.description,
    inputSchema: tool.parameters.schema,
    annotations,
    timeoutMs: tool.timeoutMs,
    requireApproval: asks,
    background: formats[plugin.format].runsInBackground(annotations, asks),
    confinement: entry.confinement,
  };
}
