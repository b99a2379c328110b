import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeCpuBudget } from '../../src/guests/cpu-budget.js';
import { watchGuest, type WatchSpec } from '../../src/guests/watch.js';
import { fakeGuest, type FakeGuest } from './fake-guest.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const REST_MS = 250;
const END_MS = 10_000;

function watch(changed: Partial<WatchSpec> = {}): {
  readonly guest: FakeGuest;
  readonly use: { usedMs: number; stopped: boolean };
  readonly idleSince: () => number | undefined;
} {
  const guest = fakeGuest();
  const use = { usedMs: 70, stopped: false };
  const watched = watchGuest({
    guest,
    cpuBudget: makeCpuBudget({ cpuMs: 1_000, cpuWindowMs: 5_000, cpuPerCallMs: 100 }),
    readUse: () => use,
    readMemory: () => undefined,
    onMeasured: () => {},
    background: false,
    canSuspend: true,
    suspendAfterMs: REST_MS,
    stopAfterMs: END_MS,
    now: () => Date.now(),
    ...changed,
  });
  return { guest, use, idleSince: () => watched.idleSinceMs };
}

describe('the garbage of a guest', () => {
  /** Calls it once, and gives it the time until it is suspended. */
  const callOnce = ({ guest, use }: ReturnType<typeof watch>, usedMs: number): void => {
    guest.ask();
    use.usedMs += usedMs;
    vi.advanceTimersByTime(400);
    guest.open = 0;
    vi.advanceTimersByTime(3 * REST_MS);
  };

  it('is collected before it is suspended', () => {
    const { guest } = watch();
    guest.ask();
    vi.advanceTimersByTime(1_000);
    expect(guest.collections).toBe(0);
    guest.open = 0;
    for (let ms = 0; ms < 2 * REST_MS && guest.collections === 0; ms += 1) {
      vi.advanceTimersByTime(1);
    }
    expect(guest.collections).toBe(1);
    expect(guest.suspended).toBe(false);
    // Time in which it does so.
    vi.advanceTimersByTime(100);
    expect(guest.suspended).toBe(false);
    vi.advanceTimersByTime(REST_MS);
    expect([guest.suspended, guest.collections]).toEqual([true, 1]);
  });

  it('is collected again when it has worked, not after little work', () => {
    const watched = watch();
    callOnce(watched, 10);
    expect(watched.guest.collections).toBe(1);
    for (let n = 0; n < 9; n += 1) callOnce(watched, 10);
    expect(watched.guest.collections).toBe(1);
    callOnce(watched, 10);
    expect([watched.guest.suspended, watched.guest.collections]).toEqual([true, 2]);
  });

  it('is not collected while calls come, or for work without a call', () => {
    const { guest, use } = watch({ canSuspend: false });
    for (let n = 0; n < 100; n += 1) {
      guest.ask();
      use.usedMs += 30;
      guest.open = 0;
      vi.advanceTimersByTime(100);
    }
    expect(guest.collections).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(guest.collections).toBe(1);
    use.usedMs += 300;
    vi.advanceTimersByTime(2_000);
    expect(guest.collections).toBe(1);
  });
});

describe('a guest without calls', () => {
  it('rests soon after its last answer, not sooner', () => {
    const { guest } = watch();
    guest.ask();
    vi.advanceTimersByTime(5_000);
    expect(guest.suspended).toBe(false);
    guest.open = 0;
    vi.advanceTimersByTime(REST_MS - 1);
    expect(guest.suspended).toBe(false);
    vi.advanceTimersByTime(3 * REST_MS);
    expect(guest.suspended).toBe(true);
  });

  it('is ended after a while, though it rests', () => {
    const { guest } = watch();
    vi.advanceTimersByTime(END_MS + 500);
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'idle' })]);
  });

  it('is suspended again, and lives on, when it was called meanwhile', () => {
    const { guest } = watch();
    vi.advanceTimersByTime(END_MS - 1_000);
    expect(guest.suspended).toBe(true);
    guest.ask();
    expect(guest.suspended).toBe(false);
    guest.open = 0;
    vi.advanceTimersByTime(END_MS - 1_000);
    expect(guest.suspended).toBe(true);
    expect(guest.killed).toEqual([]);
  });

  it('is not suspended while it ends itself, for a limited time', () => {
    const { guest } = watch();
    guest.ending = true;
    vi.advanceTimersByTime(5_000);
    expect([guest.suspended, guest.killed]).toEqual([false, []]);
    vi.advanceTimersByTime(500);
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'crash' })]);
  });

  it('is not suspended soon after its host answered it, for a limited time', () => {
    const { guest } = watch({ awakeMs: 5_000 });
    guest.ask();
    vi.advanceTimersByTime(500);
    guest.open = 0;
    for (let n = 0; n < 20; n += 1) {
      vi.advanceTimersByTime(REST_MS - 50);
      // Between two checks: asked and answered.
      guest.hostWaits.answered += 1;
      expect(guest.suspended).toBe(false);
    }
    for (let n = 0; n < 20; n += 1) {
      vi.advanceTimersByTime(REST_MS - 50);
      guest.hostWaits.answered += 1;
    }
    expect(guest.suspended).toBe(true);
  });

  it('is not suspended while it waits for its host, for a limited time', () => {
    const { guest, idleSince } = watch({ awakeMs: 5_000 });
    guest.ask();
    guest.open = 0;
    guest.hostWaits.open = 1;
    vi.advanceTimersByTime(4_500);
    expect(guest.suspended).toBe(false);
    expect(idleSince()).toBeUndefined();
    vi.advanceTimersByTime(2_000);
    expect(guest.suspended).toBe(true);
  });

  it('is suspended while its only call waits for a person, and not ended', () => {
    const { guest } = watch();
    guest.ask();
    guest.hostWaits.open = 1;
    vi.advanceTimersByTime(2_000);
    expect(guest.suspended).toBe(false);
    guest.hostWaits.forPerson = 1;
    vi.advanceTimersByTime(2_000);
    expect(guest.suspended).toBe(true);
    vi.advanceTimersByTime(3 * END_MS);
    expect(guest.killed).toEqual([]);
  });

  it('is not suspended if only one of its calls waits for a person', () => {
    const { guest } = watch();
    guest.ask();
    guest.ask();
    guest.hostWaits.open = 1;
    guest.hostWaits.forPerson = 1;
    vi.advanceTimersByTime(5_000);
    expect(guest.suspended).toBe(false);
  });

  it('is neither suspended nor ended if it may run in the background', () => {
    const { guest, idleSince } = watch({ background: true });
    vi.advanceTimersByTime(10 * END_MS);
    expect(guest.suspended).toBe(false);
    expect(guest.killed).toEqual([]);
    expect(idleSince()).toBeUndefined();
  });

  it('is not suspended before its end if a stopped process could outlive its host', () => {
    const { guest } = watch({ canSuspend: false });
    vi.advanceTimersByTime(END_MS - 500);
    expect(guest.suspended).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'idle' })]);
  });

  it('is idle since its last answer for a plugin that needs its slot', () => {
    const { guest, idleSince } = watch();
    guest.ask();
    expect(idleSince()).toBeUndefined();
    vi.advanceTimersByTime(1_000);
    guest.open = 0;
    expect(idleSince()).toBeGreaterThanOrEqual(Date.now() - 250);
  });
});

describe('processor time', () => {
  it('over the allowance ends the guest', () => {
    const { guest, use } = watch();
    guest.ask();
    for (let n = 0; n < 5; n += 1) {
      use.usedMs += 250;
      vi.advanceTimersByTime(250);
    }
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'cpu' })]);
  });

  it('that passes while the guest waits does not count', () => {
    const { guest } = watch();
    guest.ask();
    vi.advanceTimersByTime(60_000);
    expect(guest.killed).toEqual([]);
  });

  it('that the start of the process took is not charged', () => {
    const use = { usedMs: 100_000, stopped: false };
    const { guest } = watch({ readUse: () => use });
    guest.ask();
    vi.advanceTimersByTime(1_000);
    expect(guest.killed).toEqual([]);
  });

  it('is charged from when the guest was on standby, if that was noted', () => {
    const use = { usedMs: 100_000, stopped: false };
    const { guest } = watch({ readUse: () => use, usedOnStandbyMs: 98_000 });
    guest.ask();
    vi.advanceTimersByTime(1_000);
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'cpu' })]);
    const { guest: other } = watch({ readUse: () => use, usedOnStandbyMs: 100_000 });
    other.ask();
    vi.advanceTimersByTime(1_000);
    expect(other.killed).toEqual([]);
  });

  it('is higher for a plugin with more calls', () => {
    const { guest, use } = watch();
    for (let n = 0; n < 40; n += 1) {
      for (let call = 0; call < 5; call += 1) guest.ask();
      guest.open = 0;
      use.usedMs += 250;
      vi.advanceTimersByTime(250);
    }
    expect(guest.killed).toEqual([]);
  });

  it('is watched also of who runs in the background', () => {
    const { guest, use } = watch({ background: true });
    for (let n = 0; n < 5; n += 1) {
      use.usedMs += 250;
      vi.advanceTimersByTime(250);
    }
    expect(guest.killed).toEqual([expect.objectContaining({ cause: 'cpu' })]);
  });
});

describe('the memory of a guest', () => {
  it('is read now and then while it runs, and once more before it rests', () => {
    let mb = 20;
    const weighed: number[] = [];
    const guest = fakeGuest();
    const spec = { guest, readMemory: () => mb, onMeasured: () => weighed.push(watched.memoryMb) };
    const watched = watchGuest({
      ...spec,
      cpuBudget: makeCpuBudget({ cpuMs: 1_000, cpuWindowMs: 5_000, cpuPerCallMs: 100 }),
      readUse: () => ({ usedMs: 0, stopped: false }),
      background: false,
      canSuspend: true,
      suspendAfterMs: REST_MS,
      stopAfterMs: END_MS,
      now: () => Date.now(),
    });
    guest.ask();
    vi.advanceTimersByTime(3_000);
    expect(weighed).toEqual([20, 20, 20]);
    mb = 30;
    guest.open = 0;
    vi.advanceTimersByTime(750);
    expect(guest.suspended).toBe(true);
    expect(watched.memoryMb).toBe(30);
  });
});
