import { describe, expect, it } from 'vitest';
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

describe('an engine at its guest limit', () => {
  it('replaces the guest that was idle longest', async () => {
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

  it('fails a call as busy if each guest is in use, and says when to retry', async () => {
    const engine = await startEngine(['a', 'b'].map(plugin), {
      limits: { maxGuests: 1, pool: 0, maxQueuedPerPlugin: 0 },
    });
    const call = engine.call('a:sleep', { ms: 1_500 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const refused = await engine.call('b:echo', {});
    expect(refused).toMatchObject({ isError: true, code: 'BUSY' });
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    expect(await call).toMatchObject({ value: 1_500 });
    expect(await engine.call('b:echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });

  it('fails a call as busy if the queue of its plugin is full, and says when to retry', async () => {
    const engine = await startEngine([plugin('a')], {
      limits: { maxCallsPerPlugin: 1, maxQueuedPerPlugin: 0 },
    });
    const call = engine.call('a:sleep', { ms: 500 });
    const refused = await engine.call('a:echo', {});
    expect(refused.code).toBe('BUSY');
    expect(refused.retryAfterMs).toBeGreaterThan(0);
    await call;
  });

  it('starts a waiting plugin when a guest becomes idle', async () => {
    const engine = await startEngine(['a', 'b'].map(plugin), { limits: { maxGuests: 1, pool: 0 } });
    const call = engine.call('a:sleep', { ms: 1_000 });
    const waits = engine.call('b:echo', { n: 1 });
    expect(await waits).toMatchObject({ value: { n: 1 } });
    expect(await call).toMatchObject({ value: 1_000 });
  });

  it('alternates between a busy plugin and a waiting one', async () => {
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

  it('does not unload a plugin that runs in the background', async () => {
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

  it('does not start a plugin whose waiting calls were cancelled', async () => {
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
});
