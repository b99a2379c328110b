import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GuestEnd } from '../../src/guests/end.js';
import type { Guest } from '../../src/guests/guest.js';
import { makeDemand, type GuestPool, makeGuestPool } from '../../src/guests/pool.js';

interface FakeGuest extends Guest {
  readonly killed: readonly GuestEnd[];
  readonly die: () => void;
}

function makeFakes(): { readonly all: FakeGuest[]; readonly start: () => Guest } {
  const all: FakeGuest[] = [];
  return {
    all,
    start: () => {
      const killed: GuestEnd[] = [];
      let die = (): void => {};
      const ended = new Promise<GuestEnd>((resolve) => {
        die = () => resolve({ cause: 'crash', detail: '' });
      });
      const guest = {
        pid: all.length + 1,
        killed,
        die,
        ended,
        kill: (end: GuestEnd) => killed.push(end),
      };
      all.push(guest as unknown as FakeGuest);
      return guest as unknown as Guest;
    },
  };
}

/** A pool of the clock that the test moves. */
function makePool(size: number, start: () => Guest, maxSize = size): GuestPool {
  return makeGuestPool({
    size,
    maxSize,
    demand: makeDemand({ togetherMs: 200, rememberedMs: 10_000, now: Date.now }),
    shrinkAfterMs: 10_000,
    start,
    prepare: () => {},
    refillDelayMs: 10,
  });
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('the guest pool', () => {
  it('starts a guest on demand when it is empty', () => {
    const { all, start } = makeFakes();
    const pool = makePool(0, start);
    expect(pool.take()).toBe(all[0]);
    vi.advanceTimersByTime(1_000);
    expect(all).toHaveLength(1);
  });

  it('replaces a taken guest after a pause, and never hands it out again', () => {
    const { all, start } = makeFakes();
    const pool = makePool(2, start);
    const first = pool.take();
    expect(pool.waiting).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(pool.waiting).toBe(2);
    const taken = [first, pool.take(), pool.take()];
    expect(new Set(taken).size).toBe(3);
    expect(all).toHaveLength(3);
  });

  it('does not hand out a standby guest that died', async () => {
    const { all, start } = makeFakes();
    const pool = makePool(1, start);
    pool.take();
    vi.advanceTimersByTime(1_000);
    all[1]?.die();
    await Promise.resolve();
    await Promise.resolve();
    expect(pool.take()).toBe(all[2]);
  });

  it('ends its standby guests and starts no more when it is closed', () => {
    const { all, start } = makeFakes();
    const pool = makePool(1, start);
    pool.take();
    vi.advanceTimersByTime(1_000);
    pool.take();
    pool.close();
    vi.advanceTimersByTime(1_000);
    expect(all).toHaveLength(2);
  });

  it('grows to the number of guests in demand, up to a cap, and shrinks without demand', () => {
    const { all, start } = makeFakes();
    const pool = makePool(1, start, 3);
    const takeAndRefill = (count: number): number => {
      for (let n = 0; n < count; n += 1) pool.take();
      vi.advanceTimersByTime(1_000);
      return pool.waiting;
    };
    expect(takeAndRefill(1)).toBe(1);
    expect(takeAndRefill(2)).toBe(2);
    expect(takeAndRefill(9)).toBe(3);
    const kept = all.slice(-3);
    // One after the other is not at once; what was wanted is remembered for a while.
    expect(takeAndRefill(1)).toBe(3);
    vi.advanceTimersByTime(20_000);
    expect(pool.waiting).toBe(1);
    const [first, ...others] = [...kept.slice(1), all.at(-1)];
    expect(first?.killed).toEqual([]);
    for (const guest of others) expect(guest?.killed).toHaveLength(1);
    expect(pool.take()).toBe(first);
  });

  it('stays empty at size 0, whatever the demand', () => {
    const { all, start } = makeFakes();
    const pool = makePool(0, start, 3);
    for (let n = 0; n < 5; n += 1) pool.take();
    vi.advanceTimersByTime(20_000);
    expect(all).toHaveLength(5);
  });
});
