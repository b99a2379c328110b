import { describe, expect, it } from 'vitest';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const limits = { pool: 0, cpuMs: 400, cpuWindowMs: 60_000, cpuPerCallMs: 200 };

describe.runIf(process.platform === 'linux')('processor time', () => {
  it.each([
    ['a loop', '() => { for (;;); }'],
    [
      'asking its host the same small thing for ever',
      "async () => { for (;;) await readFile('none').catch(() => {}) }",
    ],
    [
      'microtasks that never end',
      '() => new Promise(() => { const again = () => queueMicrotask(again); again() })',
    ],
  ])('that is burned by %s is used up, and ends the guest', async (_, burn) => {
    const plugin = makePlugin({
      permissions: { fs: ['./files'] },
      tools: { burn, echo: '(input) => input' },
    });
    const engine = await startEngine([plugin], { limits });
    const result = await engine.call('burn', {}, { timeoutMs: 120_000 });
    expect(result).toMatchObject({ isError: true, code: 'GUEST_OUT_OF_CPU' });
    expect(await engine.call('echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });

  it('does not pass while a plugin waits', async () => {
    const wait = '() => new Promise((resolve) => setTimeout(() => resolve(1), 2_000))';
    const engine = await startEngine([makePlugin({ tools: { wait } })], {
      limits: { ...limits, cpuMs: 1_000 },
    });
    const results = await Promise.all([engine.call('wait', {}), engine.call('wait', {})]);
    expect(results.map(({ value }) => value)).toEqual([1, 1]);
  });

  it('is more for a plugin that gets many calls', async () => {
    const work = '() => { let n = 0; for (let i = 0; i < 3e7; i += 1) n += i % 7; return n }';
    const engine = await startEngine([makePlugin({ tools: { work } })], { limits });
    // Some seconds of work, of which one call takes far less than it adds.
    for (let n = 0; n < 40; n += 1) {
      expect(await engine.call('work', {})).toMatchObject({ isError: false });
    }
  });
});
