import { describe, expect, it } from 'vitest';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

describe('permissions', () => {
  it('of two entries of one plugin do not add up', async () => {
    const tool = (id: string): string =>
      `export const tools = [{ id: '${id}', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => { try { return typeof Date.now() } catch { return 'denied' } } }]`;
    const directory = makePlugin({
      id: 'two',
      manifest: {
        provides: {
          tools: [{ entry: 'a.ts', permissions: { time: true } }, { entry: 'b.ts' }],
        },
      },
      files: { 'a.ts': tool('a'), 'b.ts': tool('b') },
    });
    const engine = await startEngine([directory]);
    expect((await engine.call('a', {})).value).toBe('number');
    expect((await engine.call('b', {})).value).toBe('denied');
  });

  it('of a tool that asks for less than its entry are what it asks for', async () => {
    const directory = makePlugin({
      id: 'modest',
      permissions: { time: true, random: true },
      source: `const can = (f) => { try { f(); return true } catch { return false } };
        const execute = () => [can(() => Date.now()), can(() => Math.random())];
        const base = { name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute };
        export const tools = [
          { ...base, id: 'all' },
          { ...base, id: 'less', permissions: { time: true } },
          { ...base, id: 'more', permissions: { time: true, network: ['example.com'] } },
        ];`,
    });
    const engine = await startEngine([directory]);
    expect((await engine.call('all', {})).value).toEqual([true, true]);
    expect((await engine.call('less', {})).value).toEqual([true, false]);
    expect((await engine.call('more', {})).value).toEqual([true, true]);
    expect(engine.plugins()[0]?.problems).toEqual([
      { code: 'INVALID_TOOL', message: expect.stringContaining('more') },
    ]);
  });

  it('are what is declared and granted, and no more', async () => {
    const directory = makePlugin({
      id: 'keys',
      permissions: { env: ['A', 'B'] },
      tools: {
        seen: '(input, { env }) => [env.A, env.B, env.C, globalThis.env?.get("A")].map(String)',
      },
    });
    const env = { A: '1', B: '2', C: '3' };
    const grant = (names: readonly string[]) => ({ grant: { keys: { env: names } }, env });
    expect(
      (await (await startEngine([directory], grant(['A', 'C']))).call('seen', {})).value,
    ).toEqual(['1', 'undefined', 'undefined', '1']);
    expect(
      (await (await startEngine([directory], { grant: {}, env })).call('seen', {})).value,
    ).toEqual(['undefined', 'undefined', 'undefined', 'undefined']);
  });
});
