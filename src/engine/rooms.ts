import { type Grant, makeGrant } from '../permissions/grant.js';
import type { ToolDefinition } from '../plugin/tool.js';
import { openEntry, type OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';

/** The guests of one entry, by what they may do. */
export interface Rooms {
  readonly all: () => readonly OpenEntry[];
  readonly of: (tool: ToolDefinition) => OpenEntry;
}

/**
 * A tool may ask for less than its entry has (Pandora tools, "Override permissions"). Tools that
 * share a compartment share its powers, so one that asks for less gets a guest of its own.
 */
export function makeRooms(spec: EntrySpec, whole: OpenEntry): Rooms {
  const rooms = new Map([[keyOf(spec.grant), whole]]);
  return {
    all: () => [...rooms.values()],
    of: (tool) => {
      const grant = makeGrant(tool.permissions, spec.grant.permissions);
      const key = keyOf(grant);
      const room = rooms.get(key) ?? openEntry({ ...spec, grant });
      rooms.set(key, room);
      return room;
    },
  };
}

function keyOf({ permissions }: Grant): string {
  return JSON.stringify(permissions);
}
