import type { Guest } from './guest.js';
import { readProcessorUse } from '../processor.js';

/**
 * Standby guests, started in advance.
 *
 * ```
 *   start ──► [ standby, standby ] ── take ──► a plugin's guest ──► ends; never comes back
 *                  ▲                │
 *                  └──── refill ◄───┘   after a delay: a guest that was taken is busy loading
 * ```
 */
export interface GuestPool {
  /** A standby guest that is ready, or else one that is starting. */
  take(): Guest;
  /** Ends the standby guests and starts no more. */
  close(): void;
  readonly waiting: number;
}

export interface PoolSpec {
  /** Standby guests to have while few are taken. With 0, each guest is started when it is taken. */
  readonly size: number;
  /** Standby guests to have at most, if that many were taken at once. */
  readonly maxSize: number;
  readonly demand: Demand;
  /** Milliseconds from a take until the pool ends the guests that it does not need any more. */
  readonly shrinkAfterMs: number;
  readonly start: () => Guest;
  /** Prepares a standby guest further while it is not needed. */
  readonly prepare: (guest: Guest) => void;
  /** Milliseconds from a take to the start of a replacement. */
  readonly refillDelayMs: number;
  /** Called with the number of standby guests after each change. */
  readonly onChange?: (waiting: number) => void;
}

export function makeGuestPool({
  size,
  maxSize,
  demand,
  shrinkAfterMs,
  start,
  prepare,
  refillDelayMs,
  onChange = () => {},
}: PoolSpec): GuestPool {
  const standby: Guest[] = [];
  let refill: NodeJS.Timeout | undefined;
  let shrink: NodeJS.Timeout | undefined;
  let closed = false;

  const wanted = (): number => (size === 0 ? 0 : Math.max(size, Math.min(maxSize, demand.peak())));

  const add = (): void => {
    const guest = start();
    prepare(guest);
    standby.push(guest);
    onChange(standby.length);
    void guest.ended.then(() => {
      const at = standby.indexOf(guest);
      if (at < 0) return;
      standby.splice(at, 1);
      onChange(standby.length);
    });
  };

  const refillLater = (): void => {
    if (closed || refill !== undefined || standby.length >= wanted()) return;
    refill = setTimeout(() => {
      refill = undefined;
      if (closed) return;
      add();
      refillLater();
    }, refillDelayMs);
    // A pool alone does not keep the host's process alive.
    refill.unref();
  };

  const shrinkLater = (): void => {
    if (closed || shrink !== undefined || wanted() <= size) return;
    shrink = setTimeout(() => {
      shrink = undefined;
      // Removed before the kill, so that it cannot be taken.
      for (const guest of standby.splice(wanted())) {
        guest.kill({ cause: 'closed', detail: 'the pool needs fewer standby guests' });
      }
      onChange(standby.length);
      shrinkLater();
    }, shrinkAfterMs);
    shrink.unref();
  };

  return {
    take: () => {
      demand.note();
      // guard: standby-guest-used-once
      const waiting = standby.shift();
      if (waiting !== undefined) onChange(standby.length);
      const guest = waiting ?? start();
      refillLater();
      shrinkLater();
      return guest;
    },
    close: () => {
      closed = true;
      clearTimeout(refill);
      clearTimeout(shrink);
      for (const guest of standby) guest.kill({ cause: 'closed', detail: 'the pool was closed' });
    },
    get waiting() {
      return standby.length;
    },
  };
}

/** How many guests are needed at once. */
export interface Demand {
  /** A guest was taken. */
  note(): void;
  /** The most guests that were taken together lately. */
  peak(): number;
}

export interface DemandSpec {
  /** Milliseconds within which takes count as one peak: the time that a guest takes to start. */
  readonly togetherMs: number;
  /** Milliseconds for which a peak is expected again. */
  readonly rememberedMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export function makeDemand({ togetherMs, rememberedMs, now }: DemandSpec): Demand {
  let recent: readonly number[] = [];
  let peak = 0;
  let untilMs = -Infinity;
  return {
    note: () => {
      const nowMs = now();
      recent = [...recent.filter((atMs) => nowMs - atMs < togetherMs), nowMs];
      if (recent.length < peak && nowMs < untilMs) return;
      peak = recent.length;
      untilMs = nowMs + rememberedMs;
    },
    peak: () => (now() < untilMs ? peak : 0),
  };
}

/**
 * Processor time in milliseconds that guests used on standby. A plugin is charged from there. It is
 * read in advance: at the take, it would be a twentieth of the time to the first result.
 */
const used = new WeakMap<object, number>();

/** Stores the time of a guest that is prepared and idle. */
export function noteStandbyUse(guest: Pick<Guest, 'pid'>): void {
  const use = readProcessorUse(guest.pid);
  if (use !== undefined) used.set(guest, use.usedMs);
}

/** `undefined` if it was not stored. */
export function standbyUseOf(guest: Pick<Guest, 'pid'>): number | undefined {
  return used.get(guest);
}
