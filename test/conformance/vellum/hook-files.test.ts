/** How the files of hooks are taken. Titles begin with their row in the acceptance table. */
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { chainOf, DIALECTS, hook } from './chain-on-disk.js';

describe.each(DIALECTS)('the files of hooks of the %s semantics', (semantics) => {
  it('V-H3, V-H4: a file without a function by default fails alone', async () => {
    const engine = await chainOf(semantics, [
      { stop: 'export const helper = 1;', 'pre-model-call': hook('ctx.systemPrompt = "fine"') },
      { stop: 'export default 5;' },
      { stop: 'export default (' },
      { stop: 'throw new Error("broken at its top"); export default () => {};' },
      { stop: hook('void 0') },
    ]);
    const { reports } = await engine.hooks.run('stop', {});
    expect(reports.map(({ plugin, error, halted }) => [plugin, error?.code, halted])).toEqual([
      ['p0', 'LOAD_FAILED', undefined],
      ['p1', 'LOAD_FAILED', undefined],
      ['p2', 'BUNDLE_FAILED', undefined],
      ['p3', 'LOAD_FAILED', undefined],
      ['p4', undefined, undefined],
    ]);
    const { context } = await engine.hooks.run('pre-model-call', {});
    expect(context['systemPrompt']).toBe('fine');
  });

  it('V-H2, V-H5: no hooks are no chain, and a file of an unknown name is inert', async () => {
    const engine = await chainOf(semantics, [undefined, { 'my-own': hook('throw 1') }]);
    expect(await engine.hooks.run('stop', { decision: 'continue' })).toMatchObject({
      context: { decision: 'continue' },
      reports: [],
    });
    await expect(engine.hooks.run('my-own', {})).rejects.toThrow(/There is no hook my-own/);
    await expect(engine.hooks.run('stopp', {})).rejects.toMatchObject({
      code: 'HOOK_NOT_FOUND',
      details: { close: 'stop' },
    });
  });

  it('keeps its modules’ state from one hook to the next, and shares it with tools', async () => {
    const engine = await startEngine(
      [
        makeVellum({
          files: { 'lib/state.ts': 'export const state = { calls: 0 };' },
          hooks: {
            stop: 'import { state } from "../lib/state"; export default () => { state.calls += 1 }',
          },
          tools: {
            count:
              'import { state } from "../lib/state.js"; export default { execute: () => ({ content: String(state.calls), isError: false }) }',
          },
        }),
      ],
      { hooks: { semantics } },
    );
    await engine.hooks.run('stop', {});
    await engine.hooks.run('stop', {});
    expect(JSON.stringify((await engine.call('count', {})).content)).toContain('2');
  });

  it('logs by the context’s logger, the text first or what it is about', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await chainOf(
      semantics,
      [
        {
          stop: hook(
            'ctx.logger.info("text first", { a: 1 }); ctx.logger.warn({ b: 2 }, "fields first"); ctx.logger.child({ c: 3 }).error("child")',
          ),
        },
      ],
      { onEvent: (event) => events.push(event) },
    );
    await engine.hooks.run('stop', {});
    const lines = events.flatMap((event) =>
      event.type === 'log' ? [[event.level, event.text]] : [],
    );
    expect(lines).toEqual([
      ['info', expect.stringMatching(/^text first \{ ?a: 1 ?\}$/)],
      ['warn', expect.stringMatching(/^fields first \{ ?b: 2 ?\}$/)],
      ['error', expect.stringMatching(/^child \{ ?c: 3 ?\}$/)],
    ]);
  });
});

describe('the order of hooks', () => {
  it('V-B6: is that of installation, those without a date last, a workspace’s own after all', async () => {
    const noop = { stop: hook('') };
    const dated = (name: string, installedAt: string): string =>
      makeVellum({
        name,
        hooks: noop,
        files: { 'install-meta.json': JSON.stringify({ installedAt }) },
      });
    const workspace = makeDirectory();
    makeVellum({ name: 'unused', hooks: noop }, workspace);
    const engine = await startEngine(
      [
        dated('z-first', '2020-01-01'),
        makeVellum({ name: 'a-undated', hooks: noop }),
        dated('m', '2021-01-01'),
      ],
      { workspace },
    );
    expect(engine.hooks.list('stop')).toEqual([
      { plugin: 'z-first', semantics: 'classic' },
      { plugin: 'm', semantics: 'classic' },
      { plugin: 'a-undated', semantics: 'classic' },
      { plugin: '(workspace)', semantics: 'current' },
    ]);
    const { reports } = await engine.hooks.run('stop', {});
    expect(reports.map(({ plugin }) => plugin)).toEqual([
      'z-first',
      'm',
      'a-undated',
      '(workspace)',
    ]);
  });
});
