import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { churn, type ChurnResult } from '../../bench/soak/churn.js';
import { writePluginFleet } from '../../bench/soak/plugin-fleet.js';
import { descendants, takeSample } from '../../bench/soak/sample.js';
import { countTimers, type TimerCount } from '../../bench/soak/timers.js';
import { findLeft } from '../../bench/soak/verdict.js';
import { createEngine, type Engine } from '../../src/index.js';
import { silentLogger } from '../engine/plugin-on-disk.js';
import { makeCache } from '../run-directory.js';
import { whatStays } from '../what-stays.js';

const PLUGINS = 60;
const LIVE = 8;
const CALLS = 3_000;

/** Where the machine has other work, there are fewer calls. */
const SECONDS = 15;
const WAIT = { timeout: 45_000, interval: 100 };

describe.runIf(process.platform === 'linux')(
  'dozens of plugins, called while guests are killed',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'bulkhead-load-'));
    const guests = new Set<number>();
    let timers: TimerCount;
    let standby = 0;
    /** With an engine that is open, and of whose plugins none is called; and with none. */
    let idle: ReturnType<typeof takeSample>;
    let before: ReturnType<typeof takeSample>;
    let engine: Engine;
    let result: ChurnResult;

    const open = (directory: string): Promise<Engine> =>
      createEngine({
        plugins: [`${join(root, directory)}/*`],
        cacheDirectory: makeCache(join(root, 'cache')),
        grant: 'declared',
        storageDirectory: join(root, 'storage'),
        logger: silentLogger,
        limits: { maxGuests: LIVE, pool: 1, stopAfterMs: 1_500, maxWaitMs: 300_000 },
        onEvent: (event) => {
          if (event.type === 'guest-started') guests.add(event.pid);
          if (event.type === 'pool-changed') ({ standby } = event);
        },
      });
    const alive = (): readonly number[] =>
      descendants(process.pid).filter((pid) => guests.has(pid));

    beforeAll(async () => {
      const [first = ''] = writePluginFleet(join(root, 'first'), 1);
      // What is loaded once and for all is there before anything is counted.
      const warm = await open('first');
      await warm.call(`${first}:echo`, {});
      await vi.waitUntil(() => alive().length === 0 && standby === 1, WAIT);
      idle = takeSample();
      await warm.close();
      const processes = (): number => descendants(process.pid).length;
      await vi.waitUntil(() => processes() < idle.processes, WAIT);
      const ids = writePluginFleet(join(root, 'plugins'), PLUGINS);
      before = takeSample();
      timers = countTimers(true);
      engine = await open('plugins');
      let seed = 1;
      result = await churn({
        engine,
        ids,
        live: LIVE + 2,
        calls: CALLS,
        seconds: SECONDS,
        width: 32,
        troubleMs: 20,
        reloadMs: 2_000,
        random: () => {
          // Park and Miller's: the same troubles in each run.
          seed = (seed * 48_271) % 2_147_483_647;
          return seed / 2_147_483_647;
        },
      });
    }, 240_000);

    afterAll(async () => {
      timers.stop();
      await engine.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    });

    it('give each call its own answer, or say why not', () => {
      expect(result.wrong).toBe(0);
      const known = ['ok', 'BUSY', 'CANCELLED', 'DEADLINE_EXCEEDED', 'GUEST_CRASHED'];
      const rare = [
        'GUEST_KILLED',
        'GUEST_START_FAILED',
        'PLUGIN_INACTIVE',
        'QUARANTINED',
        'TOOL_FAILED',
      ];
      expect([...known, ...rare]).toEqual(expect.arrayContaining(Object.keys(result.outcomes)));
      expect(result).toSatisfy(
        ({ calls, outcomes }: ChurnResult) => (outcomes['ok'] ?? 0) > calls / 4,
      );
      expect(Object.keys(result.troubles)).toEqual(expect.arrayContaining(['kill', 'loop']));
    });

    it(
      'leave no guest, no descriptor and no timer behind after their last call',
      { timeout: 180_000 },
      async () => {
        await expect.poll(alive, WAIT).toEqual([]);
        // The engine, which is open, looks for stops of other processes.
        await expect
          .poll(() => timers.live(), WAIT)
          .toMatchObject({ count: 1, places: [expect.stringContaining('src/stops/gate.ts')] });
        expect(await whatStays(() => findLeft(idle, takeSample()), WAIT.timeout)).toEqual([]);
      },
    );

    it(
      'leave nothing behind when the engine is closed in the middle of it',
      { timeout: 180_000 },
      async () => {
        const calls = Array.from({ length: 100 }, (_, n) =>
          engine.call(`p${n % (2 * LIVE)}:sleep`, { ms: 10_000 }),
        );
        await expect.poll(() => alive().length, WAIT).toBeGreaterThan(0);
        await engine.close();
        const codes = new Set((await Promise.all(calls)).map(({ code }) => code));
        expect(codes).toEqual(new Set(['ENGINE_CLOSED']));
        await expect.poll(alive, WAIT).toEqual([]);
        await expect.poll(() => timers.live(), WAIT).toMatchObject({ count: 0, places: [] });
        expect(await whatStays(() => findLeft(before, takeSample()), WAIT.timeout)).toEqual([]);
      },
    );
  },
);
