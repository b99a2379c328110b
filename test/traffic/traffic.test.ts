import { describe, expect, it } from 'vitest';
import { type Lane, makeTraffic, type TrafficLimits } from '../../src/traffic/traffic.js';

const LIMITS: TrafficLimits = {
  maxCalls: 100,
  maxCallsPerPlugin: 100,
  maxWaiting: 100,
  maxWaitingPerPlugin: 100,
  maxWaitMs: 60_000,
};

interface Road {
  readonly lane: (plugin: string) => Lane;
  /** Who has begun, in order. */
  readonly begun: string[];
  readonly refused: { readonly name: string; readonly error: unknown }[];
  readonly told: number[];
  /** A call of that name, which begins at once or waits. */
  readonly call: (
    plugin: string,
    name: string,
    who?: { readonly tenant?: string; readonly signal?: AbortSignal; readonly patienceMs?: number },
  ) => Promise<void>;
}

function makeRoad(limits: Partial<TrafficLimits>): Road {
  const told: number[] = [];
  const traffic = makeTraffic(
    { ...LIMITS, ...limits },
    (waiting) => told.push(waiting),
    () => performance.now(),
  );
  const lanes = new Map<string, Lane>();
  const begun: string[] = [];
  const refused: { name: string; error: unknown }[] = [];
  const lane = (plugin: string): Lane => {
    const known = lanes.get(plugin) ?? traffic.open(plugin);
    lanes.set(plugin, known);
    return known;
  };
  return {
    lane,
    begun,
    refused,
    told,
    call: async (plugin, name, { tenant, signal, patienceMs = 60_000 } = {}) => {
      try {
        if (!lane(plugin).tryEnter()) {
          const given = signal ?? new AbortController().signal;
          await lane(plugin).enter({ tenant, patienceMs, signal: given });
        }
        begun.push(name);
      } catch (error) {
        refused.push({ name, error });
      }
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls', () => {
  it('of one plugin that crowd do not keep the single call of another waiting', async () => {
    const { call, begun, lane } = makeRoad({ maxCalls: 1, maxWaiting: 200 });
    for (let n = 0; n < 50; n += 1) void call('crowd', `crowd ${n}`);
    void call('single', 'single');
    lane('crowd').leave();
    await settled();
    lane('crowd').leave();
    await settled();
    expect(begun).toEqual(['crowd 0', 'crowd 1', 'single']);
  });

  it('of one tenant that crowd do not keep those of another waiting, in the same plugin', async () => {
    const { call, begun, lane } = makeRoad({ maxCallsPerPlugin: 1 });
    for (let n = 0; n < 50; n += 1) void call('p', `a${n}`, { tenant: 'a' });
    void call('p', 'b0', { tenant: 'b' });
    for (let n = 0; n < 2; n += 1) {
      lane('p').leave();
      await settled();
    }
    expect(begun).toEqual(['a0', 'a1', 'b0']);
  });

  it('wait for the cap of their plugin while others go on', async () => {
    const { call, begun, lane } = makeRoad({ maxCallsPerPlugin: 1 });
    void call('a', 'a0');
    void call('a', 'a1');
    void call('b', 'b0');
    await settled();
    expect(begun).toEqual(['a0', 'b0']);
    lane('b').leave();
    await settled();
    expect(begun).toEqual(['a0', 'b0']);
    lane('a').leave();
    await settled();
    expect(begun).toEqual(['a0', 'b0', 'a1']);
  });

  it('of one plugin beyond what may wait for it are busy at once, and say when to ask again', async () => {
    const { call, refused } = makeRoad({ maxCallsPerPlugin: 1, maxWaitingPerPlugin: 2 });
    for (let n = 0; n < 4; n += 1) void call('a', `a${n}`);
    await settled();
    expect(refused).toEqual([
      {
        name: 'a3',
        error: expect.objectContaining({
          code: 'BUSY',
          message: expect.stringContaining('limits.maxWaitingPerPlugin'),
          details: { retryAfterMs: 100 },
        }),
      },
    ]);
  });

  it('beyond what may wait in all cost the longest line its last, and nobody else anything', async () => {
    const { call, refused, begun, lane } = makeRoad({ maxCalls: 1, maxWaiting: 4 });
    for (let n = 0; n < 6; n += 1) void call('crowd', `crowd ${n}`);
    void call('single', 'single');
    await settled();
    expect(refused.map(({ name }) => name)).toEqual(['crowd 5', 'crowd 4']);
    for (let n = 0; n < 2; n += 1) {
      lane('crowd').leave();
      await settled();
    }
    expect(begun).toContain('single');
  });

  it('that are given up leave the line at once, and their place is somebody else’s', async () => {
    const { call, refused, begun, lane, told } = makeRoad({
      maxCallsPerPlugin: 1,
      maxWaitingPerPlugin: 1,
    });
    const controller = new AbortController();
    void call('a', 'a0');
    void call('a', 'a1', { signal: controller.signal });
    controller.abort('given up');
    void call('a', 'a2');
    await settled();
    expect(refused).toEqual([{ name: 'a1', error: 'given up' }]);
    lane('a').leave();
    await settled();
    expect(begun).toEqual(['a0', 'a2']);
    expect(told.at(-1)).toBe(0);
    lane('a').leave();
    expect(lane('a').busy()).toBe(false);
  });

  it.each([{ maxWaitMs: 20 }, { patienceMs: 20 }])(
    'that wait longer than %o are busy',
    async ({ maxWaitMs = 60_000, patienceMs = 60_000 }) => {
      const { call, refused } = makeRoad({ maxCallsPerPlugin: 1, maxWaitMs });
      void call('a', 'a0');
      await call('a', 'a1', { patienceMs });
      expect(refused).toMatchObject([{ name: 'a1', error: { code: 'BUSY' } }]);
    },
  );

  it('are never more than the caps at a time, whatever comes and goes', async () => {
    const { lane } = makeRoad({ maxCalls: 5, maxCallsPerPlugin: 3, maxWaiting: 1_000 });
    const under = new Map<string, number>();
    let most = 0;
    const work = async (plugin: string): Promise<void> => {
      const mine = lane(plugin);
      if (!mine.tryEnter()) {
        await mine.enter({ patienceMs: 60_000, signal: new AbortController().signal });
      }
      under.set(plugin, (under.get(plugin) ?? 0) + 1);
      most = Math.max(
        most,
        [...under.values()].reduce((sum, one) => sum + one, 0),
      );
      expect(under.get(plugin)).toBeLessThanOrEqual(3);
      await settled();
      under.set(plugin, (under.get(plugin) ?? 0) - 1);
      mine.leave();
    };
    await Promise.all(Array.from({ length: 90 }, (_, n) => work(`p${n % 3}`)));
    expect(most).toBe(5);
    expect(['p0', 'p1', 'p2'].some((plugin) => lane(plugin).busy())).toBe(false);
  });
});
