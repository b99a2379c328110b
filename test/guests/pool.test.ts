import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GuestEnd } from '../../src/guests/end.js';
import type { Guest } from '../../src/guests/guest.js';
import { makeGuestPool } from '../../src/guests/pool.js';

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

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('an empty pool starts a guest when one is taken', () => {
  const { all, start } = makeFakes();
  const pool = makeGuestPool({ size: 0, start, prepare: () => {}, refillDelayMs: 10 });
  expect(pool.take()).toBe(all[0]);
  vi.runAllTimers();
  expect(all).toHaveLength(1);
});

it('a taken guest is replaced after a pause, and never handed out again', () => {
  const { all, start } = makeFakes();
  const pool = makeGuestPool({ size: 2, start, prepare: () => {}, refillDelayMs: 10 });
  const first = pool.take();
  expect(pool.waiting).toBe(0);
  vi.runAllTimers();
  expect(pool.waiting).toBe(2);
  const taken = [first, pool.take(), pool.take()];
  expect(new Set(taken).size).toBe(3);
  expect(all).toHaveLength(3);
});

it('a blank guest that died is not handed out', async () => {
  const { all, start } = makeFakes();
  const pool = makeGuestPool({ size: 1, start, prepare: () => {}, refillDelayMs: 10 });
  pool.take();
  vi.runAllTimers();
  all[1]?.die();
  await Promise.resolve();
  await Promise.resolve();
  expect(pool.take()).toBe(all[2]);
});

it('closing ends the blank guests and starts no more', () => {
  const { all, start } = makeFakes();
  const pool = makeGuestPool({ size: 1, start, prepare: () => {}, refillDelayMs: 10 });
  pool.take();
  vi.runAllTimers();
  pool.take();
  pool.close();
  vi.runAllTimers();
  expect(all).toHaveLength(2);
});
