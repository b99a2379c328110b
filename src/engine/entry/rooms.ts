import { type Grant, makeGrant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import { openEntry, type OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';

/** The guests of one entry, by what they may do. */
export interface Rooms {
  readonly all: () => readonly OpenEntry[];
  readonly of: (tool: ToolDefinition) => OpenEntry;
  /**
   * The entry's grant is this from now on: what is no longer granted is refused when this returns, in
   * all of its rooms. Ask `of` again afterwards.
   */
  readonly follow: (next: Grant) => Promise<void>;
}

interface Room {
  readonly open: OpenEntry;
  /** What it was made for: its grant is as much of it as the entry has. */
  readonly asks: Permissions;
  /** What the tools ask for that were sent here. */
  readonly served: Set<Permissions>;
}

/**
 * A tool may ask for less than its entry has (Pandora tools, "Override permissions"). Tools that
 * share a compartment share its powers, so one that asks for less gets a guest of its own.
 */
export function makeRooms(spec: EntrySpec, whole: OpenEntry): Rooms {
  // As it is now: something may have been taken away since the entry was opened.
  let { grant } = whole;
  const rooms: Room[] = [{ open: whole, asks: spec.entry.declared, served: new Set() }];
  const within = (asks: Permissions): Grant => makeGrant(asks, grant.permissions);

  const follow = async (room: Room): Promise<void> => {
    const next = within(room.asks);
    const key = keyOf(next);
    if ([...room.served].every((asks) => keyOf(within(asks)) === key)) {
      await room.open.follow(next);
      return;
    }
    // It was the same to all of them, and no longer is. What the guest of the one has kept is not for
    // the other, so it only finishes what it was asked, with no more than it had.
    room.served.clear();
    const less = makeGrant(room.open.grant.permissions, next.permissions);
    const narrowed = room.open.follow(less);
    room.open.resident.replace();
    const followed = room.open.follow(next);
    await Promise.all([narrowed, followed]);
  };

  return {
    all: () => rooms.map(({ open }) => open),
    of: (tool) => {
      const asked = within(tool.permissions);
      const key = keyOf(asked);
      let room = rooms.find(({ open }) => keyOf(open.grant) === key);
      if (room === undefined) {
        const open = openEntry({ ...spec, grant: asked });
        room = { open, asks: tool.permissions, served: new Set() };
        rooms.push(room);
      }
      room.served.add(tool.permissions);
      return room.open;
    },
    follow: async (next) => {
      grant = next;
      await Promise.all(rooms.map(follow));
    },
  };
}

function keyOf({ permissions }: Grant): string {
  return JSON.stringify(permissions);
}
