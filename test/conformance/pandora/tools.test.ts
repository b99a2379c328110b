/**
 * What a Pandora plugin's author relies on, run end to end: manifest, bundle, guest, brokers, result.
 * Each title begins with its row in the acceptance table of Pandora's contract; rows about reading
 * manifests and configuration alone (S, D, V, N, T1–T3) are tested in `test/formats/pandora`.
 */
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../../src/index.js';
import { makePlugin, runTool, startEngine } from '../../engine/plugin-on-disk.js';

describe('the rest of a tool', () => {
  it('P-L1, P-B4: console and logger go to the host’s log, tagged, log as debug', async () => {
    const events: BulkheadEvent[] = [];
    await runTool(
      "(i, { logger }) => { console.log('a', 1); console.warn('b'); console.error({ c: 1 }); logger.log('d'); logger.warn('e'); return Object.isFrozen(console) }",
      {},
      { onEvent: (event) => events.push(event) },
    );
    const lines = events.flatMap((event) =>
      event.type === 'log' ? [`${event.plugin} ${event.level} ${event.text}`] : [],
    );
    expect(lines).toEqual([
      'sample debug a 1',
      'sample warn b',
      'sample error { c: 1 }',
      'sample debug d',
      'sample warn e',
    ]);
  });

  it('P-M1, P-M2, P-M3, P-M6: TypeScript of several files, with and without extensions', async () => {
    const directory = makePlugin({
      id: 'files',
      source: `import { add } from './lib/add'; import type { N } from './types'; import * as all from './lib/index.js'; import config from './config.json';
        enum Level { Low = 1 }
        const run = async ({ n }: { n: N }) => [add(n, Level.Low), all.twice(n), config.name, (await import('./lazy')).lazy];
        export const tools = [{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: run }];`,
      files: {
        'lib/add.ts': 'export const add = (a: number, b: number): number => a + b;',
        'lib/index.ts': "export { twice } from '../twice.ts';",
        'twice.ts': 'export const twice = (n: number) => n * 2;',
        'types.ts': 'export type N = number;',
        'lazy.ts': 'export const lazy = true;',
        'config.json': '{ "name": "configured" }',
      },
    });
    const engine = await startEngine([directory]);
    expect((await engine.call('run', { n: 2 })).value).toEqual([3, 4, 'configured', true]);
  });

  it('P-M8: an entry outside of the plugin is refused', async () => {
    const engine = await startEngine([makePlugin({ entry: { entry: '../../evil.ts' } })]);
    expect(engine.plugins()).toMatchObject([
      { state: 'failed', problems: [{ code: 'OUTSIDE_PLUGIN' }] },
    ]);
  });

  it('P-B6, P-B8: a tool is stopped after its own timeout, 60 s if it has none, and within 120 s', async () => {
    const directory = makePlugin({
      id: 'timed',
      source: `const base = { name: 'n', description: 'd', annotations: { readOnlyHint: true } };
        export const tools = [
          { ...base, id: 'short', timeout: 100, execute: () => new Promise(() => {}) },
          { ...base, id: 'plain', execute: () => 1 },
          { ...base, id: 'long', timeout: 90_000, execute: () => 1 },
          { ...base, id: 'endless', timeout: Infinity, execute: () => 1 },
        ];`,
    });
    const engine = await startEngine([directory]);
    expect((await engine.call('short', {})).content[0]?.text).toContain(
      'timed:short did not finish within 100 ms and was stopped.',
    );
    expect(engine.catalog.find('plain')?.timeoutMs).toBe(60_000);
    // A tool's own timeout may exceed Pandora's default, up to the engine's limit, which Vellum needs.
    expect(engine.catalog.find('long')?.timeoutMs).toBe(90_000);
    expect(engine.catalog.find('endless')?.timeoutMs).toBe(120_000);
    const short = await startEngine([directory], { limits: { timeoutMs: 30_000 } });
    expect(['plain', 'long', 'endless'].map((tool) => short.catalog.find(tool)?.timeoutMs)).toEqual(
      [30_000, 30_000, 30_000],
    );
  });

  it('P-B7: a tool without parameters takes any object', async () => {
    expect((await runTool('(input) => input', { input: { any: 1 } })).value).toEqual({ any: 1 });
  });

  it('P-A2: a plugin that hardens what it exports loads', async () => {
    const engine = await startEngine([
      makePlugin({
        source:
          "export const tools = harden([{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }]);",
      }),
    ]);
    expect((await engine.call('run', {})).value).toBe(1);
  });

  it('P-T8, P-T10: alerts are reported, and a resolveTools that throws loses only its own tools', async () => {
    const tool =
      "[{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }]";
    const engine = await startEngine([
      makePlugin({
        id: 'a',
        source: `export const tools = ${tool}; export const resolveTools = () => { throw 'no' };`,
      }),
      makePlugin({
        id: 'b',
        source: `export const tools = ${tool}; export const resolveTools = async () => ({ tools: [], alerts: [{ level: 'warning', message: 'set a key' }] });`,
      }),
    ]);
    const [a, b] = engine.plugins();
    expect(a).toMatchObject({
      state: 'active',
      problems: [{ message: expect.stringContaining('resolveTools') }],
    });
    expect(b?.alerts).toEqual([{ level: 'warning', message: 'set a key' }]);
    expect((await engine.call('a:run', {})).value).toBe(1);
  });
});
