import { BulkheadError } from '../errors.js';
import type { GuestLife } from './shared-guest.js';
import type { Watch } from './watch.js';

/** The guests of one engine that hold a plugin: never more than so many. */
export interface Capacity {
  /**
   * Makes room for one more, where need be by ending the guest that nobody has called for longest.
   * Throws `BUSY` where somebody waits for each of them.
   */
  makeRoom(plugin: string): void;
  /** Counts a guest until it ends. */
  add(guest: GuestLife, watch: Watch): void;
}

/** How soon it is worth to ask again: calls end all the time. */
const RETRY_AFTER_MS = 500;

export function makeCapacity(maxGuests: number): Capacity {
  const guests = new Map<GuestLife, Watch>();

  const longestIdle = (): GuestLife | undefined => {
    const idle = [...guests].flatMap(([guest, { idleSinceMs }]) =>
      idleSinceMs === undefined ? [] : [{ guest, idleSinceMs }],
    );
    return idle.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs)[0]?.guest;
  };

  const end = (guest: GuestLife): void => {
    // Killed is as good as gone: it takes no more calls, and its process is already dying.
    guests.delete(guest);
    guest.kill({ cause: 'idle', detail: 'another plugin needed its place' });
  };

  return {
    makeRoom: (plugin) => {
      for (const guest of guests.keys()) if (!guest.alive) guests.delete(guest);
      while (guests.size >= maxGuests) {
        const idle = longestIdle();
        if (idle === undefined) throw full(plugin, maxGuests);
        end(idle);
      }
    },
    add: (guest, watch) => {
      guests.set(guest, watch);
      void guest.ended.then(() => guests.delete(guest));
    },
  };
}

function full(plugin: string, maxGuests: number): BulkheadError {
  return new BulkheadError(
    'BUSY',
    `${plugin} cannot be started now: ${maxGuests} guests run already, and each is in use. Try again when a call has ended, or raise limits.maxGuests.`,
    { retryAfterMs: RETRY_AFTER_MS },
  );
}
