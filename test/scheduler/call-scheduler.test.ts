import { describe, expect, it } from 'vitest';
import {
  type PluginQueue,
  makeCallScheduler,
  type CallSchedulerLimits,
} from '../../src/scheduler/call-scheduler.js';

const LIMITS: CallSchedulerLimits = {
  maxCalls: 100,
  maxCallsPerPlugin: 100,
  maxQueued: 100,
  maxQueuedPerPlugin: 100,
  maxWaitMs: 60_000,
};

interface Road {
  readonly queue: (plugin: string) => PluginQueue;
  /** Who has begun, in order. */
  readonly begun: string[];
  readonly refused: { readonly name: string; readonly error: unknown }[];
  readonly told: number[];
  /** A call of that name, which begins at once or waits. */
  readonly call: (
    plugin: string,
    name: string,
    who?: {
      readonly tenant?: string;
      readonly signal?: AbortSignal;
      readonly callerWaitMs?: number;
    },
  ) => Promise<void>;
}

function makeRoad(limits: Partial<CallSchedulerLimits>): Road {
  const told: number[] = [];
  const scheduler = makeCallScheduler(
    { ...LIMITS, ...limits },
    (waiting) => told.push(waiting),
    () => performance.now(),
  );
  const queues = new Map<string, PluginQueue>();
  const begun: string[] = [];
  const refused: { name: string; error: unknown }[] = [];
  const queue = (plugin: string): PluginQueue => {
    const known = queues.get(plugin) ?? scheduler.open(plugin);
    queues.set(plugin, known);
    return known;
  };
  return {
    queue,
    begun,
    refused,
    told,
    call: async (plugin, name, { tenant, signal, callerWaitMs = 60_000 } = {}) => {
      try {
        if (!queue(plugin).tryEnter()) {
          const given = signal ?? new AbortController().signal;
          await queue(plugin).enter({ tenant, maxWaitMs: callerWaitMs, signal: given });
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
    const { call, begun, queue } = makeRoad({ maxCalls: 1, maxQueued: 200 });
    for (let n = 0; n < 50; n += 1) void call('crowd', `crowd ${n}`);
    void call('single', 'single');
    queue('crowd').leave();
    await settled();
    queue('crowd').leave();
    await settled();
    expect(begun).toEqual(['crowd 0', 'crowd 1', 'single']);
  });

  it('of one tenant that crowd do not keep those of another waiting, in the same plugin', async () => {
    const { call, begun, queue } = makeRoad({ maxCallsPerPlugin: 1 });
    for (let n = 0; n < 50; n += 1) void call('p', `a${n}`, { tenant: 'a' });
    void call('p', 'b0', { tenant: 'b' });
    for (let n = 0; n < 2; n += 1) {
      queue('p').leave();
      await settled();
    }
    expect(begun).toEqual(['a0', 'a1', 'b0']);
  });

  it('wait for the cap of their plugin while others go on', async () => {
    const { call, begun, queue } = makeRoad({ maxCallsPerPlugin: 1 });
    void call('a', 'a0');
    void call('a', 'a1');
    void call('b', 'b0');
    await settled();
    expect(begun).toEqual(['a0', 'b0']);
    queue('b').leave();
    await settled();
    expect(begun).toEqual(['a0', 'b0']);
    queue('a').leave();
    await settled();
    expect(begun).toEqual(['a0', 'b0', 'a1']);
  });

  it('of one plugin beyond what may wait for it are busy at once, and say when to ask again', async () => {
    const { call, refused } = makeRoad({ maxCallsPerPlugin: 1, maxQueuedPerPlugin: 2 });
    for (let n = 0; n < 4; n += 1) void call('a', `a${n}`);
    await settled();
    expect(refused).toEqual([
      {
        name: 'a3',
        error: expect.objectContaining({
          code: 'BUSY',
          message: expect.stringContaining('limits.maxQueuedPerPlugin'),
          details: { retryAfterMs: 100 },
        }),
      },
    ]);
  });

  it('above the limit of all queues cost the longest queue its last call, and no other queue anything', async () => {
    const { call, refused, begun, queue } = makeRoad({ maxCalls: 1, maxQueued: 4 });
    for (let n = 0; n < 6; n += 1) void call('crowd', `crowd ${n}`);
    void call('single', 'single');
    await settled();
    expect(refused.map(({ name }) => name)).toEqual(['crowd 5', 'crowd 4']);
    for (let n = 0; n < 2; n += 1) {
      queue('crowd').leave();
      await settled();
    }
    expect(begun).toContain('single');
  });

  it('that are given up leave the queue at once, and free their place', async () => {
    const { call, refused, begun, queue, told } = makeRoad({
      maxCallsPerPlugin: 1,
      maxQueuedPerPlugin: 1,
    });
    const controller = new AbortController();
    void call('a', 'a0');
    void call('a', 'a1', { signal: controller.signal });
    controller.abort('given up');
    void call('a', 'a2');
    await settled();
    expect(refused).toEqual([{ name: 'a1', error: 'given up' }]);
    queue('a').leave();
    await settled();
    expect(begun).toEqual(['a0', 'a2']);
    expect(told.at(-1)).toBe(0);
    queue('a').leave();
    expect(queue('a').busy()).toBe(false);
  });

  it.each([{ maxWaitMs: 20 }, { callerWaitMs: 20 }])(
    'that wait longer than %o are busy',
    async ({ maxWaitMs = 60_000, callerWaitMs = 60_000 }) => {
      const { call, refused } = makeRoad({ maxCallsPerPlugin: 1, maxWaitMs });
      void call('a', 'a0');
      await call('a', 'a1', { callerWaitMs });
      expect(refused).toMatchObject([{ name: 'a1', error: { code: 'BUSY' } }]);
    },
  );

  it('are never more than the caps at a time, whatever comes and goes', async () => {
    const { queue } = makeRoad({ maxCalls: 5, maxCallsPerPlugin: 3, maxQueued: 1_000 });
    const under = new Map<string, number>();
    let most = 0;
    const work = async (plugin: string): Promise<void> => {
      const mine = queue(plugin);
      if (!mine.tryEnter()) {
        await mine.enter({ maxWaitMs: 60_000, signal: new AbortController().signal });
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
    expect(['p0', 'p1', 'p2'].some((plugin) => queue(plugin).busy())).toBe(false);
  });

  it('of a plugin that have all ended, and hooks that have, leave its queue idle', async () => {
    const { queue } = makeRoad({ maxCalls: 5, maxCallsPerPlugin: 3 });
    const mine = queue('a');
    await mine.whenIdle();
    mine.tryEnter();
    const release = mine.hold();
    let idle = false;
    void mine.whenIdle().then(() => {
      idle = true;
    });
    mine.leave();
    await settled();
    expect(idle).toBe(false);
    release();
    await settled();
    expect(idle).toBe(true);
  });
});
