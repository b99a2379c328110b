import { BulkheadError } from '../errors.js';
import { makeFairLine } from '../traffic/fair-line.js';
import { chooseIdle, chooseToMakeWay, type Held } from './evict.js';
import type { GuestLife } from './shared-guest.js';
import type { Watch } from './watch.js';

/** The guests of one engine that hold a plugin: never more than so many, of so much memory. */
export interface Capacity {
  /**
   * Starts one more as soon as there is room for it, where need be by ending the guest that nobody
   * has called for longest. Where somebody waits for each of them, tenants wait in turns, and the
   * plugins of each; those that hold a guest for longest get no new calls in it, so that it falls idle. Rejects `BUSY` where that
   * takes too long or too many wait, and with the signal's reason.
   */
  start<Guest>(plugin: string, start: () => Started<Guest>, wants?: WantsRoom): Promise<Guest>;
  /** Ends idle guests while all together hold more memory than they may. */
  relieve(): void;
  /** Refuses whoever waits. */
  close(): void;
}

/** Somebody who wants a guest: tenants take turns, and whoever aborts wants it no more. */
export interface WantsRoom {
  readonly signal?: AbortSignal | undefined;
  readonly tenant?: string | undefined;
}

/** A guest that was just started, and what is counted of it until it ends. */
export interface Started<Guest> {
  readonly guest: Guest;
  readonly life: GuestLife;
  readonly watch: Watch;
}

export interface CapacityLimits {
  readonly maxGuests: number;
  readonly maxMemoryMb: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerPlugin: number;
  readonly maxWaitMs: number;
}

interface Waiter {
  proceed(): void;
  refuse(why: Error): void;
}

/** Between two looks at whether a guest has fallen idle, while somebody waits for one. */
const LOOK_MS = 5;

/** How soon it is worth to ask again: calls end all the time. */
const RETRY_AFTER_MS = 500;

export function makeCapacity(limits: CapacityLimits, now: () => number): Capacity {
  const { maxGuests, maxMemoryMb, maxWaiting, maxWaitingPerPlugin, maxWaitMs } = limits;
  const held = new Map<GuestLife, Held>();
  const line = makeFairLine<string, Waiter>();
  let looking: NodeJS.Timeout | undefined;
  let closed = false;

  const end = (guest: GuestLife, why: string): void => {
    // Killed is as good as gone: it takes no more calls, and its process is already dying.
    held.delete(guest);
    guest.kill({ cause: 'idle', detail: why });
  };
  const heldMb = (): number => [...held.values()].reduce((sum, one) => sum + one.watch.memoryMb, 0);

  /** Whether there is room for one more now, once idle ones have gone. */
  const hasRoom = (): boolean => {
    for (const guest of held.keys()) if (!guest.alive) held.delete(guest);
    while (held.size >= maxGuests || (held.size > 0 && heldMb() >= maxMemoryMb)) {
      const idle = chooseIdle(held.values());
      if (idle === undefined) return false;
      end(idle.guest, 'another plugin needed its place');
    }
    return true;
  };

  const begin = <Guest>(start: () => Started<Guest>): Guest => {
    const { guest, life, watch } = start();
    const one: Held = { guest: life, watch, sinceMs: now(), fresh: true };
    held.set(life, one);
    // Whoever it was started for asks it before anything else happens.
    setImmediate(() => {
      one.fresh = false;
    });
    void life.ended.then(() => {
      held.delete(life);
      look();
    });
    return guest;
  };

  const look = (): void => {
    while (line.size > 0 && hasRoom()) line.take(() => true)?.proceed();
    const leaving = [...held.values()].filter(({ guest }) => guest.makingWay).length;
    if (leaving < line.size) chooseToMakeWay(held.values(), now())?.guest.makeWay();
    if (line.size > 0) {
      looking ??= setInterval(look, LOOK_MS);
      return;
    }
    clearInterval(looking);
    looking = undefined;
  };

  const wait = <Guest>(
    plugin: string,
    start: () => Started<Guest>,
    { signal, tenant = '' }: WantsRoom,
  ): Promise<Guest> => {
    const place = { tenant, plugin };
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        proceed: () => {
          settle();
          try {
            resolve(begin(start));
          } catch (error) {
            reject(error);
          }
        },
        refuse: (why) => {
          line.remove(place, waiter);
          settle();
          reject(why);
        },
      };
      const giveUp = (): void => waiter.refuse(signal?.reason);
      const timer = setTimeout(() => waiter.refuse(full(plugin, limits)), maxWaitMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      line.add(place, waiter);
      if (line.at(place).size > maxWaitingPerPlugin) waiter.refuse(full(plugin, limits));
      else if (line.size > maxWaiting) line.longest(place)?.refuse(full(plugin, limits));
      look();
    });
  };

  return {
    start: (plugin, start, wants = {}) => {
      if (closed) return Promise.reject(closedError());
      if (wants.signal?.aborted === true) return Promise.reject(wants.signal.reason);
      return line.size === 0 && hasRoom()
        ? Promise.resolve(begin(start))
        : wait(plugin, start, wants);
    },
    relieve: () => {
      while (heldMb() > maxMemoryMb) {
        const idle = chooseIdle(held.values());
        if (idle === undefined) return;
        end(idle.guest, `all guests together held more than ${maxMemoryMb} MiB`);
      }
    },
    close: () => {
      closed = true;
      for (let next = line.take(() => true); next !== undefined; next = line.take(() => true)) {
        next.refuse(closedError());
      }
      clearInterval(looking);
    },
  };
}

function full(plugin: string, { maxGuests, maxMemoryMb }: CapacityLimits): BulkheadError {
  return new BulkheadError(
    'BUSY',
    `${plugin} cannot be started now: ${maxGuests} guests run already, or all together hold ${maxMemoryMb} MiB, and each is in use. Try again when a call has ended, or raise limits.maxGuests or limits.maxMemoryMb.`,
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

function closedError(): BulkheadError {
  return new BulkheadError('ENGINE_CLOSED', 'The engine was closed: it runs nothing more.', {});
}
