import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

/** An engine whose plugins a, b and c are of one trust group, and d of none. */
async function startGroup(options: Partial<EngineOptions> = {}): Promise<Started> {
  const directories = ['a', 'b', 'c', 'd'].map((id) =>
    makePlugin({
      id,
      permissions: { time: true, storage: true },
      tools: {
        count: 'async () => (globalThis.n = (globalThis.n ?? 0) + 1)',
        pollute: `async () => {
          try { Object.prototype.polluted = ${JSON.stringify(id)}; } catch { return 'refused'; }
        }`,
        look: 'async () => [typeof globalThis.n, "polluted" in {}, typeof Float32Array]',
        loop: 'async () => { for (;;); }',
        wait: 'async () => { await new Promise((resolve) => setTimeout(resolve, 60_000)); }',
        write:
          "async () => { await storage.write('k', '1'); await new Promise((resolve) => setTimeout(resolve, 20_000)); }",
        read: "async () => storage.read('k')",
        nap: 'async () => { await new Promise((resolve) => setTimeout(resolve, 1_000)); return "rested"; }',
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
    const { engine, ends } = await startGroup({ limits: { maxCrashes: 1, memoryMb: 32 } });
    for (const id of ['a', 'b']) await engine.call(`${id}:count`, {});
    const neighbour = engine.call('b:nap', {}, { timeoutMs: 20_000 });
    const crashed = await engine.call('a:crash', {}, { timeoutMs: 20_000 });
    // Any of them may have caused that, so both calls ran again, each in a process of its own.
    expect(crashed.code).toBe('GUEST_OUT_OF_MEMORY');
    expect((await neighbour).value).toBe('rested');
    expect(ends('a')).toEqual(['memory', 'memory']);
    expect((await engine.call('a:count', {})).code).toBe('QUARANTINED');
    expect((await engine.call('b:count', {})).value).toBe(1);
    expect(ends('b')).toEqual(['memory']);
  });

  it('fail with a crash of their process if a call may have had effects', async () => {
    const { engine, ends } = await startGroup({
      limits: { memoryMb: 32 },
      storageDirectory: makeDirectory(),
    });
    for (const id of ['a', 'b']) await engine.call(`${id}:count`, {});
    const neighbour = engine.call('b:write', {}, { timeoutMs: 20_000 });
    await expect.poll(async () => (await engine.call('b:read', {})).value).toBe('1');
    await engine.call('a:crash', {}, { timeoutMs: 20_000 });
    const { isError, code, content } = await neighbour;
    expect({ isError, code }).toEqual({ isError: true, code: 'GUEST_OUT_OF_MEMORY' });
    expect(JSON.stringify(content)).toContain('which it shared with its trust group');
    expect(ends('b')).toEqual(['memory']);
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
