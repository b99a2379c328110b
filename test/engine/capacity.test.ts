import { expect, it } from 'vitest';
import type { BulkheadEvent } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const plugin = (id: string): string =>
  makePlugin({
    id,
    tools: {
      echo: '(input) => input',
      sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
    },
  });

it('more plugins than there is room for take turns, the longest idle going first', async () => {
  const running = new Set<number>();
  const onEvent = (event: BulkheadEvent): void => {
    if (event.type === 'guest-started') running.add(event.pid);
    if (event.type === 'guest-ended') running.delete(event.pid);
  };
  const engine = await startEngine(['a', 'b', 'c', 'd'].map(plugin), {
    limits: { maxGuests: 2, pool: 0 },
    onEvent,
  });
  for (let round = 0; round < 2; round += 1) {
    for (const id of ['a', 'b', 'c', 'd']) {
      expect(await engine.call(`${id}:echo`, { id })).toMatchObject({ value: { id } });
      // One that was killed to make room is gone a moment later.
      await expect.poll(() => running.size, { timeout: 10_000 }).toBeLessThanOrEqual(2);
    }
  }
});

it('where each guest is in use it is busy, says when to ask again, and is not later', async () => {
  const engine = await startEngine(['a', 'b'].map(plugin), {
    limits: { maxGuests: 1, pool: 0, maxWaitingPerPlugin: 0 },
  });
  const call = engine.call('a:sleep', { ms: 1_500 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const refused = await engine.call('b:echo', {});
  expect(refused).toMatchObject({ isError: true, code: 'BUSY' });
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  expect(await call).toMatchObject({ value: 1_500 });
  expect(await engine.call('b:echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
});

it('more calls of one plugin than may run and wait are busy too, and say when to ask again', async () => {
  const engine = await startEngine([plugin('a')], {
    limits: { maxCallsPerPlugin: 1, maxWaitingPerPlugin: 0 },
  });
  const call = engine.call('a:sleep', { ms: 500 });
  const refused = await engine.call('a:echo', {});
  expect(refused.code).toBe('BUSY');
  expect(refused.retryAfterMs).toBeGreaterThan(0);
  await call;
});

it('a plugin waits for a guest to fall idle, and then has its place', async () => {
  const engine = await startEngine(['a', 'b'].map(plugin), { limits: { maxGuests: 1, pool: 0 } });
  const call = engine.call('a:sleep', { ms: 1_000 });
  const waits = engine.call('b:echo', { n: 1 });
  expect(await waits).toMatchObject({ value: { n: 1 } });
  expect(await call).toMatchObject({ value: 1_000 });
});

it('a plugin that is called without a pause makes way for one that waits, and goes on', async () => {
  const engine = await startEngine(['a', 'b'].map(plugin), {
    limits: { maxGuests: 1, pool: 0, maxWaitMs: 20_000 },
  });
  const over = new AbortController();
  const codes = new Set<string>();
  const flood = Array.from({ length: 3 }, async () => {
    while (!over.signal.aborted) {
      const { code = 'ok' } = await engine.call('a:sleep', { ms: 20 });
      codes.add(code);
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await engine.call('b:echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  expect(await engine.call('a:echo', { n: 2 })).toMatchObject({ value: { n: 2 } });
  over.abort();
  await Promise.all(flood);
  expect(codes).toEqual(new Set(['ok']));
});

it('a plugin that runs in the background keeps its place', async () => {
  const pids = new Set<number>();
  const engine = await startEngine(['a', 'b'].map(plugin), {
    limits: { maxGuests: 1, pool: 0, maxWaitMs: 1_500 },
    background: ['a'],
    onEvent: (event) => {
      if (event.type === 'guest-ended') pids.add(event.pid);
    },
  });
  await engine.call('a:echo', {});
  pids.clear();
  expect(await engine.call('b:echo', {})).toMatchObject({ code: 'BUSY' });
  expect(pids.size).toBe(0);
});

it('a plugin that nobody waits for any more is not started when there is room', async () => {
  const started: string[] = [];
  const engine = await startEngine(['a', 'b'].map(plugin), {
    limits: { maxGuests: 1, pool: 0 },
    onEvent: (event) => {
      if (event.type === 'guest-started') started.push(event.plugin);
    },
  });
  const call = engine.call('a:sleep', { ms: 1_000 });
  await expect.poll(() => started.at(-1)).toBe('a');
  const before = started.length;
  const given = await engine.call('b:echo', {}, { timeoutMs: 100 });
  expect(given.code).toBe('DEADLINE_EXCEEDED');
  expect(await call).toMatchObject({ value: 1_000 });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(started).toHaveLength(before);
});
