import { type Grant, makeGrant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import type { ToolDefinition } from '../../plugin/tool.js';
import type { OpenEntry } from './entry.js';
import { openEntry } from './room.js';
import type { EntrySpec } from './entry-spec.js';

/** The guests of one entry, by what they may do. */
export interface Rooms {
  all(): readonly OpenEntry[];
  of(tool: ToolDefinition): OpenEntry;
  /**
   * The entry's grant is this from now on: what is no longer granted is refused when this returns, in
   * all of its rooms. Ask `of` again afterwards.
   */
  follow(next: Grant): Promise<void>;
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
  return new RoomsByGrant(spec, whole);
}

/** A class, because there is one for every entry that is installed. */
class RoomsByGrant implements Rooms {
  readonly spec: EntrySpec;
  readonly rooms: Room[];
  /** As it is now: something may have been taken away since the entry was opened. */
  grant: Grant;

  constructor(spec: EntrySpec, whole: OpenEntry) {
    this.spec = spec;
    this.grant = whole.grant;
    this.rooms = [{ open: whole, asks: spec.entry.declared, served: new Set() }];
  }

  all(): readonly OpenEntry[] {
    return this.rooms.map(({ open }) => open);
  }

  of({ permissions }: ToolDefinition): OpenEntry {
    const asked = this.within(permissions);
    let room = this.rooms.find(({ open }) => isSame(open.grant, asked));
    if (room === undefined) {
      const open = openEntry({ ...this.spec, grant: asked });
      room = { open, asks: permissions, served: new Set() };
      this.rooms.push(room);
    }
    room.served.add(permissions);
    return room.open;
  }

  async follow(next: Grant): Promise<void> {
    this.grant = next;
    await Promise.all(this.rooms.map((room) => this.followIn(room)));
  }

  within(asks: Permissions): Grant {
    return makeGrant(asks, this.grant.permissions);
  }

  async followIn(room: Room): Promise<void> {
    const next = this.within(room.asks);
    if ([...room.served].every((asks) => isSame(this.within(asks), next))) {
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
  }
}

function isSame({ permissions: one }: Grant, { permissions: other }: Grant): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
