import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Capacity,
  type CapacityLimits,
  makeCapacity,
  MIN_STAY_MS,
} from '../../src/guests/capacity.js';
import { fakeGuest, type FakeGuest } from './fake-guest.js';

const LIMITS: CapacityLimits = {
  maxGuests: 2,
  maxMemoryMb: 1_000,
  maxQueued: 100,
  maxQueuedPerPlugin: 100,
  maxWaitMs: 60_000,
};

interface State {
  /** Since when no call waits for it. */
  idleSinceMs?: number | undefined;
  background?: boolean;
  /** For whom it is wanted. */
  tenant?: string;
  memoryMb?: number;
}

interface House {
  readonly capacity: Capacity;
  nowMs: number;
  /** Starts one; resolves with it. */
  readonly start: (plugin: string, state?: State, signal?: AbortSignal) => Promise<FakeGuest>;
  /** Who was started, in order. */
  readonly started: string[];
}

const houses: House[] = [];

afterEach(() => {
  for (const { capacity } of houses.splice(0)) capacity.close();
});

function makeHouse(limits: Partial<CapacityLimits> = {}): House {
  const started: string[] = [];
  const house: House = {
    nowMs: 0,
    started,
    capacity: makeCapacity({ ...LIMITS, ...limits }, () => house.nowMs),
    start: (plugin, state = {}, signal) => {
      const waits = house.capacity.start(
        plugin,
        () => {
          started.push(plugin);
          const guest = fakeGuest(started.length);
          const watch = {
            get idleSinceMs() {
              return state.idleSinceMs;
            },
            mayStop: state.background !== true,
            get memoryMb() {
              return state.memoryMb ?? 14;
            },
          };
          return { guest, handle: guest, watch };
        },
        { signal, tenant: state.tenant },
      );
      // Some are still waiting when their test is over.
      waits.catch(() => {});
      return waits;
    },
  };
  houses.push(house);
  return house;
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

const causes = (guests: readonly FakeGuest[]): string[][] =>
  guests.map(({ killed }) => killed.map(({ cause }) => cause));

describe('room for guests', () => {
  it('a guest more than there is room for ends the one that was idle longest', async () => {
    const { start } = makeHouse({ maxGuests: 3 });
    const guests = [
      await start('a', { idleSinceMs: 500 }),
      await start('b', { idleSinceMs: 100 }),
      await start('c'),
    ];
    await settled();
    await start('d');
    expect(causes(guests)).toEqual([[], ['idle'], []]);
  });

  it('a guest that was just started does not count as unused', async () => {
    const { start, started } = makeHouse({ maxGuests: 1 });
    const first = await start('a', { idleSinceMs: 0 });
    const second = start('b');
    expect(first.killed).toEqual([]);
    await second;
    expect(started).toEqual(['a', 'b']);
    expect(first.killed).toHaveLength(1);
  });

  it('memory beyond what all may hold together is given back by those that are idle', async () => {
    const { start, capacity } = makeHouse({ maxGuests: 10, maxMemoryMb: 100 });
    const first: State = { memoryMb: 30 };
    const guests = [
      await start('a', first),
      await start('b', { memoryMb: 30, idleSinceMs: 7 }),
      await start('c', { memoryMb: 30, idleSinceMs: 5 }),
    ];
    await settled();
    capacity.relieve();
    expect(causes(guests)).toEqual([[], [], []]);
    first.memoryMb = 60;
    capacity.relieve();
    expect(causes(guests)).toEqual([[], [], ['idle']]);
    first.memoryMb = 200;
    capacity.relieve();
    expect(causes(guests)).toEqual([[], ['idle'], ['idle']]);
  });

  it('none is started while those in use hold as much memory as all may', async () => {
    const { start, started } = makeHouse({ maxGuests: 10, maxMemoryMb: 100 });
    const first: State = { memoryMb: 100 };
    await start('a', first);
    const second = start('b');
    await settled();
    expect(started).toEqual(['a']);
    first.memoryMb = 50;
    await second;
    expect(started).toEqual(['a', 'b']);
  });

  it('a guest that is dead or being killed takes no room', async () => {
    const { start } = makeHouse();
    const [dead, killed] = [await start('a'), await start('b')];
    dead.die();
    await start('c');
    killed.kill({ cause: 'deadline', detail: '' });
    await start('d');
    expect(killed.killed).toHaveLength(1);
  });
});

describe('guests that start together', () => {
  /** How many started in each turn of the event loop until `count` have. */
  async function perTurn({ started }: House, count: number): Promise<number[]> {
    const counts = [started.length];
    while (started.length < count) {
      const before = started.length;
      // oxlint-disable-next-line no-await-in-loop -- each turn is looked at
      await immediate();
      counts.push(started.length - before);
    }
    return counts;
  }

  it('take a turn of the event loop each', async () => {
    const house = makeHouse({ maxGuests: 5 });
    for (const plugin of ['a', 'b', 'c', 'd', 'e']) void house.start(plugin);
    expect(Math.max(...(await perTurn(house, 5)))).toBe(1);
    expect(house.started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('take a turn each also when much room is made at once', async () => {
    const house = makeHouse({ maxGuests: 4 });
    const states: State[] = [{}, {}, {}, {}];
    await Promise.all(states.map((state, at) => house.start(`old${at}`, state)));
    for (const plugin of ['a', 'b', 'c', 'd']) void house.start(plugin);
    for (const state of states) state.idleSinceMs = 1;
    expect(Math.max(...(await perTurn(house, 8)).slice(1))).toBe(1);
    expect(house.started.slice(4)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are never more than there is room for', async () => {
    const { start, started } = makeHouse({ maxGuests: 2 });
    for (const plugin of ['a', 'b', 'c', 'd']) void start(plugin);
    await settled();
    expect(started).toEqual(['a', 'b']);
  });

  it('are not started if they are given up before their turn, or the engine is closed', async () => {
    const { start, started, capacity } = makeHouse({ maxGuests: 5 });
    const controller = new AbortController();
    const first = start('a');
    const second = start('b', {}, controller.signal);
    const third = start('c');
    controller.abort(new Error('given up'));
    await first;
    await expect(second).rejects.toThrow('given up');
    capacity.close();
    await expect(third).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    expect(started).toEqual(['a']);
  });
});

describe('plugins that wait for room', () => {
  it('get it in turns as others become idle, whatever one of them requests', async () => {
    const { start, started } = makeHouse({ maxGuests: 1 });
    const states: State[] = [{}, {}, {}, {}];
    await start('a', states[0]);
    for (const [at, plugin] of ['crowd', 'crowd', 'single'].entries()) {
      void start(plugin, states[at + 1]);
    }
    for (const at of [0, 1]) {
      const state = states[at];
      if (state !== undefined) state.idleSinceMs = 1;
      await expect.poll(() => started.length).toBe(at + 2);
      await settled();
    }
    expect(started).toEqual(['a', 'crowd', 'single']);
  });

  it('get it tenant by tenant, however many plugins one of them calls', async () => {
    const { start, started } = makeHouse({ maxGuests: 1 });
    const first: State = {};
    await start('first', first);
    for (let n = 0; n < 10; n += 1) void start(`a${n}`, { tenant: 'a', idleSinceMs: 1 });
    void start('b', { tenant: 'b', idleSinceMs: 1 });
    first.idleSinceMs = 1;
    await expect.poll(() => started.length).toBe(12);
    expect(started.indexOf('b')).toBe(2);
  });

  it('are refused as busy after a limit, with the time to retry', async () => {
    const { start } = makeHouse({ maxGuests: 1, maxWaitMs: 20 });
    await start('a');
    await expect(start('b')).rejects.toMatchObject({
      code: 'BUSY',
      message: expect.stringContaining('limits.maxGuests'),
      details: { retryAfterMs: expect.any(Number) },
    });
  });

  it('are busy at once if too many already wait', async () => {
    const { start } = makeHouse({ maxGuests: 1, maxQueuedPerPlugin: 1, maxQueued: 2 });
    await start('a');
    void start('b').catch(() => {});
    await expect(start('b')).rejects.toMatchObject({ code: 'BUSY' });
    void start('c').catch(() => {});
    await expect(start('d')).rejects.toMatchObject({ code: 'BUSY' });
  });

  it('leave at once when they are given up, and nothing is started for them', async () => {
    const { start, started } = makeHouse({ maxGuests: 1 });
    const first: State = {};
    await start('a', first);
    const controller = new AbortController();
    const second = start('b', {}, controller.signal);
    controller.abort(new Error('given up'));
    await expect(second).rejects.toThrow('given up');
    first.idleSinceMs = 1;
    await settled();
    expect(started).toEqual(['a']);
    await expect(start('c', {}, controller.signal)).rejects.toThrow('given up');
  });

  it('let who has a guest for longest make way, once it had its turn', async () => {
    const house = makeHouse();
    const { start } = house;
    const oldest = await start('background', { background: true });
    house.nowMs = 10;
    const older = await start('a');
    const waits = start('b');
    await settled();
    expect([oldest.draining, older.draining]).toEqual([false, false]);
    house.nowMs = 10 + MIN_STAY_MS;
    await expect.poll(() => older.draining).toBe(true);
    expect(oldest.draining).toBe(false);
    older.die();
    await waits;
  });

  it('are refused when the engine is closed', async () => {
    const { start, capacity } = makeHouse({ maxGuests: 1 });
    await start('a');
    const waits = start('b');
    capacity.close();
    await expect(waits).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await expect(start('c')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});
