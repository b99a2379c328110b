import type { Demand } from './demand.js';
import type { Guest } from './guest.js';

/**
 * Blank guests, started ahead of need.
 *
 * ```
 *   start ──► [ blank, blank ] ── take ──► somebody's guest ──► dies; never comes back
 *                  ▲                │
 *                  └──── refill ◄───┘   after a pause: whoever took one is busy loading
 * ```
 */
export interface GuestPool {
  /** A blank guest: one that is ready where there is one, else one that is just starting. */
  take(): Guest;
  /** Ends the blank guests and starts no more. */
  close(): void;
  readonly waiting: number;
}

export interface PoolSpec {
  /** Blank guests to keep while few are taken; with 0 each is started when it is taken. */
  readonly size: number;
  /** Blank guests to keep at most, where as many were taken at once. */
  readonly maxSize: number;
  readonly demand: Demand;
  /** From a take to the moment when the pool is looked at again, to end what is not wanted any more. */
  readonly shrinkAfterMs: number;
  readonly start: () => Guest;
  /** Readies a blank guest further, while nobody waits for it. */
  readonly prepare: (guest: Guest) => void;
  /** From a take to the start of its replacement, in milliseconds. */
  readonly refillDelayMs: number;
  /** Told how many wait, each time that this has changed. */
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
  const blank: Guest[] = [];
  let refill: NodeJS.Timeout | undefined;
  let shrink: NodeJS.Timeout | undefined;
  let closed = false;

  const wanted = (): number => (size === 0 ? 0 : Math.max(size, Math.min(maxSize, demand.peak())));

  const add = (): void => {
    const guest = start();
    prepare(guest);
    blank.push(guest);
    onChange(blank.length);
    void guest.ended.then(() => {
      const at = blank.indexOf(guest);
      if (at < 0) return;
      blank.splice(at, 1);
      onChange(blank.length);
    });
  };

  const refillLater = (): void => {
    if (closed || refill !== undefined || blank.length >= wanted()) return;
    refill = setTimeout(() => {
      refill = undefined;
      if (closed) return;
      add();
      refillLater();
    }, refillDelayMs);
    // A pool alone is no reason to keep the host's process.
    refill.unref();
  };

  const shrinkLater = (): void => {
    if (closed || shrink !== undefined || wanted() <= size) return;
    shrink = setTimeout(() => {
      shrink = undefined;
      // Out of the pool before it is told to end: nobody is to take it now.
      for (const guest of blank.splice(wanted())) {
        guest.kill({ cause: 'closed', detail: 'as many blank guests are not wanted any more' });
      }
      onChange(blank.length);
      shrinkLater();
    }, shrinkAfterMs);
    shrink.unref();
  };

  return {
    take: () => {
      demand.note();
      const waiting = blank.shift();
      if (waiting !== undefined) onChange(blank.length);
      const guest = waiting ?? start();
      refillLater();
      shrinkLater();
      return guest;
    },
    close: () => {
      closed = true;
      clearTimeout(refill);
      clearTimeout(shrink);
      for (const guest of blank) guest.kill({ cause: 'closed', detail: 'the pool was closed' });
    },
    get waiting() {
      return blank.length;
    },
  };
}
