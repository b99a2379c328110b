import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, CallResult, EngineOptions } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const plugin = (id: string): string =>
  makePlugin({
    id,
    tools: {
      echo: '(input) => input',
      sleep: '({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ms), ms))',
    },
  });

const start = (
  ids: readonly string[],
  limits: NonNullable<EngineOptions['limits']>,
  options: Partial<EngineOptions> = {},
): ReturnType<typeof startEngine> => startEngine(ids.map(plugin), { limits, ...options });

const codeOf = ({ code }: CallResult): string => code ?? 'ok';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('calls that take turns', () => {
  it('run all, in the end, though fewer may be under way at once', async () => {
    const waiting: number[] = [];
    const engine = await start(
      ['a'],
      { maxCallsPerPlugin: 2 },
      {
        onEvent: (event: BulkheadEvent) => {
          if (event.type === 'queue-changed') waiting.push(event.calls);
        },
      },
    );
    const calls = Array.from({ length: 50 }, (_, n) => engine.call('a:echo', { n }));
    expect((await Promise.all(calls)).map(({ value }) => value)).toEqual(
      calls.map((_, n) => ({ n })),
    );
    expect(Math.max(...waiting)).toBe(48);
    expect(waiting.at(-1)).toBe(0);
  });

  it('answer the one call of a plugin in the middle of ten thousand of another', async () => {
    const engine = await start(['flood', 'single'], {
      maxCalls: 4,
      maxQueued: 100,
      maxQueuedPerPlugin: 100,
    });
    await engine.call('single:echo', {});
    let ended = 0;
    const flood = Array.from({ length: 10_000 }, async (_, n) => {
      const result = await engine.call('flood:sleep', { ms: 5 + (n % 3) });
      ended += 1;
      return result;
    });
    const single = await engine.call('single:echo', { mine: true });
    const before = ended;
    expect(single.value).toEqual({ mine: true });
    const codes = (await Promise.all(flood)).map(codeOf);
    expect(new Set(codes)).toEqual(new Set(['ok', 'BUSY']));
    // Calls that are refused at once do not count. Of those that waited, hardly one went before it.
    expect(before - codes.filter((code) => code === 'BUSY').length).toBeLessThan(20);
    expect(codes.filter((code) => code === 'ok').length).toBeGreaterThanOrEqual(100);
  });

  it('are given up in the line by their callers, and never run', async () => {
    const engine = await start(['a'], { maxCallsPerPlugin: 1 });
    const controller = new AbortController();
    const first = engine.call('a:sleep', { ms: 1_000 });
    const second = engine.call('a:echo', {}, { signal: controller.signal });
    controller.abort();
    expect(codeOf(await second)).toBe('CANCELLED');
    expect(codeOf(await first)).toBe('ok');
  });

  it('whose deadline passes in the line are busy: nothing of them has run', async () => {
    const engine = await start(['a'], { maxCallsPerPlugin: 1 });
    const first = engine.call('a:sleep', { ms: 1_000 });
    const second = await engine.call('a:echo', {}, { timeoutMs: 50 });
    expect(second).toMatchObject({ code: 'BUSY', retryAfterMs: expect.any(Number) });
    expect(codeOf(await first)).toBe('ok');
  });

  it('count the time in the line to their deadline', async () => {
    const engine = await start(['a'], { maxCallsPerPlugin: 1 });
    await engine.call('a:echo', {});
    const first = engine.call('a:sleep', { ms: 2_000 });
    const second = engine.call('a:sleep', { ms: 4_000 }, { timeoutMs: 5_000 });
    expect(codeOf(await first)).toBe('ok');
    expect(codeOf(await second)).toBe('DEADLINE_EXCEEDED');
  });

  it('of a tool that is removed meanwhile do not run', async () => {
    const engine = await start(['a'], { maxCallsPerPlugin: 1 });
    const first = engine.call('a:sleep', { ms: 500 });
    const second = engine.call('a:echo', {});
    await pause(100);
    await engine.setEnabled('a', false);
    expect(codeOf(await first)).toBe('PLUGIN_INACTIVE');
    expect(codeOf(await second)).toBe('PLUGIN_INACTIVE');
  });

  it('are answered when the engine is closed', async () => {
    const engine = await start(['a'], { maxCallsPerPlugin: 1 });
    const calls = Array.from({ length: 10 }, () => engine.call('a:sleep', { ms: 10_000 }));
    await pause(100);
    await engine.close();
    expect(new Set((await Promise.all(calls)).map(codeOf))).toEqual(new Set(['ENGINE_CLOSED']));
  });
});
