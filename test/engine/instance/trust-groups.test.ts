import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

/** An engine whose plugins a, b and c are of one trust group, and d of none. */
async function startGroup(options: Partial<EngineOptions> = {}): Promise<Started> {
  const directories = ['a', 'b', 'c', 'd'].map((id) =>
    makePlugin({
      id,
      permissions: { time: true },
      tools: {
        count: 'async () => (globalThis.n = (globalThis.n ?? 0) + 1)',
        pollute: `async () => {
          try { Object.prototype.polluted = ${JSON.stringify(id)}; } catch { return 'refused'; }
        }`,
        look: 'async () => [typeof globalThis.n, "polluted" in {}, typeof Float32Array]',
        loop: 'async () => { for (;;); }',
        wait: 'async () => { await new Promise((resolve) => setTimeout(resolve, 60_000)); }',
        crash:
          "async () => { const all = []; for (;;) all.push(new Array(1e6).fill('x' + all.length)); }",
      },
    }),
  );
  const events: BulkheadEvent[] = [];
  const engine = await startEngine(directories, {
    trustGroups: { ours: ['a', 'b', 'c'] },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return {
    engine,
    processes: () =>
      new Set(events.flatMap((event) => (event.type === 'guest-started' ? [event.pid] : []))).size,
    ends: (plugin) =>
      events.flatMap((event) =>
        event.type === 'guest-ended' && event.plugin === plugin ? [event.cause] : [],
      ),
  };
}

interface Started {
  readonly engine: Engine;
  readonly processes: () => number;
  readonly ends: (plugin: string) => readonly string[];
}

describe('plugins of one trust group', () => {
  it('share a process, which another plugin does not', async () => {
    const pids = new Map<string, number>();
    const { engine } = await startGroup({
      onEvent: (event) => {
        if (event.type === 'guest-started') pids.set(event.plugin, event.pid);
      },
    });
    for (const id of ['a', 'b', 'c', 'd']) {
      expect((await engine.call(`${id}:count`, {})).value).toBe(1);
    }
    expect(pids.get('b')).toBe(pids.get('a'));
    expect(pids.get('c')).toBe(pids.get('a'));
    expect(pids.get('d')).not.toBe(pids.get('a'));
    expect(engine.plugins().map(({ trustGroup }) => trustGroup)).toEqual([
      'ours',
      'ours',
      'ours',
      undefined,
    ]);
  });

  it('have each a compartment of its own, and frozen intrinsics', async () => {
    const { engine } = await startGroup();
    await engine.call('a:count', {});
    await engine.call('a:count', {});
    await engine.call('a:pollute', {});
    expect((await engine.call('a:look', {})).value).toEqual(['number', false, 'undefined']);
    expect((await engine.call('b:look', {})).value).toEqual(['undefined', false, 'undefined']);
    expect((await engine.call('d:look', {})).value).toEqual(['undefined', false, 'function']);
  });

  it('are stopped together by force, and each next call is answered', async () => {
    const { engine, ends } = await startGroup();
    for (const id of ['a', 'b', 'c']) await engine.call(`${id}:count`, {});
    const looped = await engine.call('a:loop', {}, { timeoutMs: 200 });
    expect(looped.code).toBe('DEADLINE_EXCEEDED');
    for (const id of ['a', 'b', 'c']) {
      expect((await engine.call(`${id}:count`, {})).value).toBe(1);
    }
    // The guest that did not stop has its grace, which may be longer than the next calls took.
    await expect
      .poll(() => [ends('a'), ends('b'), ends('c')], { timeout: 10_000 })
      .toEqual([['deadline'], ['replaced'], ['replaced']]);
  });

  it('put only the plugin in quarantine that crashes again without the others', async () => {
    const { engine } = await startGroup({ limits: { maxCrashes: 1, memoryMb: 32 } });
    for (const id of ['a', 'b']) await engine.call(`${id}:count`, {});
    const neighbour = engine.call('b:wait', {}, { timeoutMs: 20_000 });
    const crash = () => engine.call('a:crash', {}, { timeoutMs: 20_000 });
    expect((await crash()).isError).toBe(true);
    expect((await neighbour).isError).toBe(true);
    // Any of them may have caused that, so each has a process of its own for a while.
    expect((await engine.call('b:count', {})).value).toBe(1);
    expect((await crash()).isError).toBe(true);
    expect((await engine.call('a:count', {})).code).toBe('QUARANTINED');
    expect((await engine.call('b:count', {})).value).toBe(2);
  });

  it('answer each other’s calls while one of them waits', async () => {
    const { engine } = await startGroup();
    const waiting = engine.call('a:wait', {}, { timeoutMs: 3_000 });
    expect((await engine.call('b:count', {})).value).toBe(1);
    expect((await waiting).code).toBe('DEADLINE_EXCEEDED');
  });

  it('count as one guest, and are unloaded together without calls', async () => {
    const { engine, ends } = await startGroup({
      limits: { maxGuests: 1, suspendAfterMs: 100, stopAfterMs: 1_500 },
    });
    for (const id of ['a', 'b', 'c']) {
      expect((await engine.call(`${id}:count`, {})).value).toBe(1);
    }
    await expect
      .poll(() => [...ends('a'), ...ends('b')], { timeout: 10_000 })
      .toEqual(['idle', 'idle']);
    expect((await engine.call('a:count', {})).value).toBe(1);
  });

  it('are each in one group', async () => {
    await expect(
      startGroup({ trustGroups: { one: ['a'], two: ['b', 'a'] } }),
    ).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(/a is there twice/),
    });
  });
});
