import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, CallResult, Engine } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const TOOLS = {
  hang: '() => new Promise(() => {})',
  loop: '() => { for (;;); }',
  sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
  fetchThenSleep:
    "async ({ ms }) => { await fetch('https://api.example.com/'); await new Promise((resolve) => setTimeout(resolve, ms)); return ms }",
  // The request is made through the call's own context, and ignores that the call was given up.
  fetchSlowly:
    "(input, { signal }) => fetch('https://api.example.com/slow', { signal: AbortSignal.any([signal]) }).then(() => 'answered', () => new Promise(() => {}))",
};

describe('a call in a guest with other callers', () => {
  let aborted = 0;
  let answered = 0;
  const server = createServer((request, response) => {
    if (request.url === '/slow') response.on('close', () => (aborted += 1));
    else response.end('{}', () => (answered += 1));
  }).listen(0);
  afterAll(() => server.close());

  const start = async (
    options: Parameters<typeof startEngine>[1] = {},
  ): Promise<{
    readonly engine: Engine;
    readonly typesOf: (tool: string) => readonly string[];
    readonly ends: () => readonly string[];
  }> => {
    const { port } = server.address() as AddressInfo;
    const events: BulkheadEvent[] = [];
    const permissions = { time: true, network: ['api.example.com'] };
    const engine = await startEngine([makePlugin({ tools: TOOLS, permissions })], {
      grant: 'declared',
      effects: 'off',
      network: { overrides: [{ host: 'api.example.com', url: `http://127.0.0.1:${port}` }] },
      onEvent: (event) => events.push(event),
      ...options,
    });
    await engine.call('sleep', { ms: 1 });
    return {
      engine,
      typesOf: (tool) =>
        events.flatMap((event) => ('tool' in event && event.tool === tool ? [event.type] : [])),
      ends: () => events.flatMap((event) => (event.type === 'guest-ended' ? [event.cause] : [])),
    };
  };

  it('is answered each time, while another tenant hangs up again and again', async () => {
    const { engine } = await start();
    const isOver = new AbortController();
    const attack = async (): Promise<number> => {
      let hangUps = 0;
      while (!isOver.signal.aborted) {
        await engine.call('hang', {}, { tenant: 'rude', signal: AbortSignal.timeout(20) });
        hangUps += 1;
      }
      return hangUps;
    };
    const attackers = [attack(), attack(), attack()];
    const results: CallResult[] = [];
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 10 }, () =>
        engine.call('sleep', { ms: 150 }, { tenant: 'polite' }),
      );
      results.push(...(await Promise.all(calls)));
    }
    isOver.abort();
    const hangUps = await Promise.all(attackers);
    expect(hangUps.reduce((sum, count) => sum + count)).toBeGreaterThan(20);
    expect(results.filter(({ value }) => value === 150)).toHaveLength(200);
  });

  it('is answered each time, while calls of another tenant loop again and again', async () => {
    const { engine, typesOf } = await start();
    const isOver = new AbortController();
    const attack = async (): Promise<number> => {
      let loops = 0;
      while (!isOver.signal.aborted) {
        await engine.call('loop', {}, { tenant: 'rude', timeoutMs: 50 });
        loops += 1;
      }
      return loops;
    };
    const attacker = attack();
    const results: CallResult[] = [];
    // Each takes longer than it takes the other tenant to loop in a guest.
    for (let round = 0; round < 4; round += 1) {
      const calls = Array.from({ length: 5 }, () =>
        engine.call('sleep', { ms: 1_500 }, { tenant: 'polite' }),
      );
      results.push(...(await Promise.all(calls)));
    }
    isOver.abort();
    expect(await attacker).toBeGreaterThan(4);
    expect(results.filter(({ value }) => value === 1_500)).toHaveLength(20);
    // Only the first loop was in their guest.
    expect(typesOf('sleep').filter((type) => type === 'call-rerun').length).toBeLessThanOrEqual(5);
  });

  it('is not ended because another call was given up and waits', async () => {
    const { engine, ends } = await start();
    const neighbour = engine.call('sleep', { ms: 700 });
    const given = await engine.call('hang', {}, { timeoutMs: 50 });
    expect(given.code).toBe('DEADLINE_EXCEEDED');
    expect((await neighbour).value).toBe(700);
    // Now the guest has nothing to do but the given-up call.
    await expect.poll(ends).toEqual(['deadline']);
  });

  it('runs again if another call loops and it has sent no request', async () => {
    const { engine, typesOf } = await start();
    const neighbours = [300, 301, 302].map((ms) => engine.call('sleep', { ms }));
    expect((await engine.call('loop', {}, { timeoutMs: 50 })).code).toBe('DEADLINE_EXCEEDED');
    expect((await Promise.all(neighbours)).map(({ value }) => value)).toEqual([300, 301, 302]);
    expect(typesOf('sleep').filter((type) => type === 'call-rerun')).toHaveLength(3);
    expect(typesOf('sleep').filter((type) => type === 'call-ended')).toHaveLength(4);
  });

  it('fails with NEIGHBOUR_ENDED if another call loops and it has sent a request', async () => {
    const { engine, typesOf } = await start();
    const before = answered;
    const neighbour = engine.call('fetchThenSleep', { ms: 1_500 });
    await expect.poll(() => answered - before).toBe(1);
    await engine.call('loop', {}, { timeoutMs: 50 });
    const result = await neighbour;
    expect(result.code).toBe('NEIGHBOUR_ENDED');
    expect(result.content[0]?.text).toMatch(/was not run again.*idempotent/);
    expect(typesOf('fetchThenSleep')).not.toContain('call-rerun');
  });

  it('runs again although it has sent a request if its tool is named in idempotent', async () => {
    const { engine, typesOf } = await start({ idempotent: ['sample__fetchThenSleep'] });
    const before = answered;
    const neighbour = engine.call('fetchThenSleep', { ms: 1_500 });
    await expect.poll(() => answered - before).toBe(1);
    await engine.call('loop', {}, { timeoutMs: 50 });
    expect((await neighbour).value).toBe(1_500);
    expect(typesOf('fetchThenSleep')).toContain('call-rerun');
  });

  it('runs a second time at most', async () => {
    const { engine, typesOf } = await start();
    const neighbour = engine.call('sleep', { ms: 10_000 });
    await engine.call('loop', {}, { timeoutMs: 50 });
    await expect.poll(() => typesOf('sleep')).toContain('call-rerun');
    // The second guest has both calls.
    expect((await engine.call('sleep', { ms: 1 })).value).toBe(1);
    await engine.call('loop', {}, { timeoutMs: 50 });
    expect((await neighbour).code).toBe('NEIGHBOUR_ENDED');
  });

  it('ends the requests that were made through its context when it is given up', async () => {
    const { engine } = await start();
    const neighbour = engine.call('sleep', { ms: 800 });
    const before = aborted;
    await engine.call('fetchSlowly', {}, { timeoutMs: 300 });
    await expect.poll(() => aborted).toBe(before + 1);
    expect(await neighbour).toMatchObject({ value: 800 });
  });
});
