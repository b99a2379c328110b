import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const TOOLS = {
  sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
};

describe('replicas', () => {
  const start = async (options: Parameters<typeof startEngine>[1]) => {
    const events: BulkheadEvent[] = [];
    const directory = makePlugin({ tools: TOOLS, permissions: { time: true } });
    const engine = await startEngine([directory], {
      grant: 'declared',
      onEvent: (event) => events.push(event),
      ...options,
    });
    const guests = (): number => events.filter(({ type }) => type === 'guest-started').length;
    return { engine, guests };
  };
  const sleepers = (engine: Awaited<ReturnType<typeof start>>['engine'], count: number) =>
    Promise.all(Array.from({ length: count }, () => engine.call('sleep', { ms: 100 })));

  it('are added while calls find each guest busy, up to max', async () => {
    const { engine, guests } = await start({ replicas: { sample: { max: 3 } } });
    for (let round = 0; round < 20 && guests() < 3; round += 1) {
      expect((await sleepers(engine, 6)).every(({ value }) => value === 100)).toBe(true);
    }
    await sleepers(engine, 12);
    expect(guests()).toBe(3);
  });

  it('are not added without the option, for sequential calls, or beyond maxGuests', async () => {
    const one = await start({});
    await sleepers(one.engine, 6);
    expect(one.guests()).toBe(1);
    const sequential = await start({ replicas: { sample: { max: 3 } } });
    for (let n = 0; n < 5; n += 1) await sequential.engine.call('sleep', { ms: 100 });
    expect(sequential.guests()).toBe(1);
    const full = await start({ replicas: { sample: { max: 3 } }, limits: { maxGuests: 1 } });
    expect((await sleepers(full.engine, 6)).every(({ value }) => value === 100)).toBe(true);
    expect(full.guests()).toBe(1);
  });

  it('end when they are idle', async () => {
    const limits = { stopAfterMs: 1_000, suspendAfterMs: 100 };
    const { engine, guests } = await start({ replicas: { sample: { max: 2 } }, limits });
    for (let round = 0; round < 20 && guests() < 2; round += 1) await sleepers(engine, 4);
    const ends: string[] = [];
    engine.on((event) => event.type === 'guest-ended' && ends.push(event.cause));
    await expect.poll(() => ends, { timeout: 10_000 }).toEqual(['idle', 'idle']);
  });

  it.each([
    [{ replicas: { sample: { max: 2 } }, trustGroups: { g: ['sample'] } }, /trust group/],
    [{ replicas: { sample: { max: 2 } }, background: ['sample'] }, /background/],
    [{ replicas: { sample: { max: 0 } } }, /from 1 to 64/],
  ])('are refused for %j', async (options, message) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(message),
    });
  });
});
