/** What becomes of plugins that are read again. Titles begin with their row in the acceptance table. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../src/index.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';
import { makeVellum, type VellumSpec } from '../vellum-on-disk.js';

const DIALECTS = ['classic', 'current'] as const;

const says = (word: string): string =>
  `import { word } from "../lib/word"; export default (ctx) => console.warn("${word}", word, ctx.reason);`;
const SPEC: VellumSpec = {
  hooks: { init: says('init'), shutdown: says('shutdown'), stop: 'export default () => {}' },
  tools: {
    tell: 'import { word } from "../lib/word"; export default { execute: () => ({ content: word, isError: false }) };',
  },
  files: {
    'lib/word.ts': 'export { word } from "./inner";',
    'lib/inner.ts': 'export const word = "one";',
  },
};

interface Stage {
  readonly engine: Engine;
  readonly directory: string;
  readonly lines: () => string[];
  readonly said: () => Promise<string>;
  readonly started: () => number;
}

async function stage(options: Partial<EngineOptions> = {}, more: string[] = []): Promise<Stage> {
  const events: BulkheadEvent[] = [];
  const directory = makeVellum({ name: 'p', ...SPEC });
  const engine = await startEngine([directory, ...more], {
    onEvent: (event) => events.push(event),
    ...options,
  });
  return {
    engine,
    directory,
    lines: () => events.flatMap((event) => (event.type === 'log' ? [event.text] : [])),
    said: async () => JSON.stringify((await engine.call('p:tell', {})).content),
    started: () => events.filter(({ type }) => type === 'guest-started').length,
  };
}

describe.each(DIALECTS)('a plugin of the %s semantics that is read again', (semantics) => {
  const hooks = { semantics };
  const reason = (word: string): string => (semantics === 'classic' ? 'undefined' : word);

  it('V-B7: continues unchanged if none of its files has changed', async () => {
    const { engine, lines, started } = await stage({ hooks });
    const before = started();
    await engine.reload();
    await engine.reload();
    expect(lines()).toEqual(['init one undefined']);
    expect(started()).toBe(before);
  });

  it('V-B8: is shut down and restarts whenever any of its files has changed', async () => {
    const { engine, directory, lines, said } = await stage({ hooks });
    for (const word of ['two', 'three']) {
      writeFileSync(join(directory, 'lib/inner.ts'), `export const word = "${word}";`);
      await engine.reload();
      expect(await said()).toContain(word);
    }
    expect(lines()).toEqual([
      'init one undefined',
      `shutdown one ${reason('reload')}`,
      'init two undefined',
      `shutdown two ${reason('reload')}`,
      'init three undefined',
    ]);
  });

  it('V-B5: runs nothing while it is disabled, and everything once it is not', async () => {
    const { engine, directory, lines, said } = await stage({ hooks });
    writeFileSync(join(directory, '.disabled'), '');
    await engine.reload();
    expect(engine.plugins()[0]?.state).toBe('inactive');
    expect(engine.catalog.list()).toEqual([]);
    expect((await engine.hooks.run('stop', {})).reports).toEqual([]);
    rmSync(join(directory, '.disabled'));
    await engine.reload();
    expect(await said()).toContain('one');
    expect(lines()).toEqual([
      'init one undefined',
      `shutdown one ${reason('disable')}`,
      'init one undefined',
    ]);
  });

  it('V-B5: is switched off and on while the engine runs, and others do not notice', async () => {
    const other = makePlugin({ id: 'other', tools: { fine: 'async () => "fine"' } });
    const { engine, lines, said, started } = await stage({ hooks }, [other]);
    expect((await engine.call('fine', {})).value).toBe('fine');
    const guests = started();
    await engine.setEnabled('p', false);
    expect(engine.plugins().find(({ id }) => id === 'p')).toMatchObject({
      state: 'inactive',
      problems: [
        { code: 'PLUGIN_INACTIVE', message: expect.stringContaining('setEnabled("p", true)') },
      ],
    });
    await expect(engine.call('p:tell', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
    await engine.reload();
    expect(engine.catalog.list().map(({ tool }) => tool)).toEqual(['fine']);
    expect((await engine.call('fine', {})).value).toBe('fine');
    expect(started()).toBe(guests);
    await engine.setEnabled('p', true);
    expect(await said()).toContain('one');
    expect(lines()).toEqual([
      'init one undefined',
      `shutdown one ${reason('disable')}`,
      'init one undefined',
    ]);
    await expect(engine.setEnabled('absent', false)).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
    });
  });

  it('runs the old version if the new one cannot be built, and says so', async () => {
    const { engine, directory, lines, said } = await stage({ hooks });
    const good = JSON.stringify({ name: 'p', version: '2.0.0' });
    writeFileSync(join(directory, 'package.json'), '{ "name": ');
    await engine.reload();
    expect(await said()).toContain('one');
    expect(lines()).toEqual(['init one undefined']);
    writeFileSync(join(directory, 'package.json'), good);
    await engine.reload();
    expect(engine.plugins()[0]).toMatchObject({ version: '2.0.0', state: 'active' });
    expect(await said()).toContain('one');
  });

  it('V-B7: is unloaded silently with its directory, and loaded with it', async () => {
    const { engine, directory, lines } = await stage({ hooks });
    rmSync(directory, { recursive: true });
    await engine.reload();
    expect(engine.plugins()).toEqual([]);
    expect(lines()).toEqual(['init one undefined']);
    makeVellum({ name: 'p', ...SPEC }, directory);
    await engine.reload();
    expect(lines()).toEqual(['init one undefined', 'init one undefined']);
  });
});

describe('a Pandora plugin that is read again', () => {
  it('runs the old version if the new one cannot be built, and says so', async () => {
    const directory = makePlugin({ id: 'p', tools: { say: 'async () => "one"' } });
    const engine = await startEngine([directory]);
    expect((await engine.call('say', {})).value).toBe('one');
    writeFileSync(join(directory, 'index.ts'), 'export const tools = [');
    await engine.reload();
    expect((await engine.call('say', {})).value).toBe('one');
    expect(engine.plugins()[0]?.problems).toEqual([
      {
        code: 'BUNDLE_FAILED',
        message: expect.stringContaining('its last good version continues to run'),
        places: [expect.objectContaining({ file: 'index.ts', line: 1, column: 23 })],
      },
    ]);
    makePlugin({ id: 'p', tools: { say: 'async () => "two"' } }, directory);
    await engine.reload();
    expect((await engine.call('say', {})).value).toBe('two');
    expect(engine.plugins()[0]?.problems).toEqual([]);
  });

  it.each([
    ['takes too long to load', 'for (;;);', 'DEADLINE_EXCEEDED'],
    ['throws when it is loaded', 'throw new Error("broken")', 'LOAD_FAILED'],
  ])('runs the old version if the new one %s', async (_, source, code) => {
    const directory = makePlugin({ id: 'p', tools: { say: 'async () => "one"' } });
    const engine = await startEngine([directory], { limits: { loadTimeoutMs: 3_000 } });
    makePlugin({ id: 'p', source }, directory);
    await engine.reload();
    expect(engine.plugins()[0]?.problems).toMatchObject([{ code }]);
    expect((await engine.call('say', {})).value).toBe('one');
  });

  it('is ended at once when it is disabled, its timers with it', async () => {
    const events: BulkheadEvent[] = [];
    const directory = makePlugin({
      id: 'p',
      tools: {
        tick: 'async () => { setInterval(() => console.warn("tick"), 20); await new Promise(() => {}) }',
      },
    });
    const engine = await startEngine([directory], {
      background: ['p'],
      onEvent: (event) => events.push(event),
    });
    const ticks = (): number => events.filter(({ type }) => type === 'log').length;
    const calling = engine.call('tick', {});
    while (ticks() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await engine.setEnabled('p', false);
    expect(await calling).toMatchObject({ isError: true, code: 'PLUGIN_INACTIVE' });
    const seen = ticks();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(ticks()).toBe(seen);
  });

  it.each([
    [
      'at once, where its directory is gone',
      (directory: string) => rmSync(directory, { recursive: true }),
      'PLUGIN_INACTIVE',
    ],
    [
      'with the engine, where it only finishes its calls',
      (directory: string) => void makePlugin({ id: 'p' }, directory),
      'ENGINE_CLOSED',
    ],
  ])('is ended %s', async (_when, change, code) => {
    const directory = makePlugin({
      id: 'p',
      tools: { hang: 'async () => { console.warn("begun"); await new Promise(() => {}) }' },
    });
    let begun = (): void => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const engine = await startEngine([directory], {
      limits: { timeoutMs: 5_000 },
      onEvent: ({ type }) => (type === 'log' ? begun() : undefined),
    });
    const calling = engine.call('hang', {});
    await beginning;
    change(directory);
    await engine.reload();
    await engine.close();
    expect((await calling).code).toBe(code);
  });

  it('is ended with the engine, though another guest has taken its place', async () => {
    const tool = (id: string, host: string): string =>
      `{ id: '${id}', name: 'n', description: 'd', annotations: { readOnlyHint: true },
         permissions: { time: true, network: ['${host}'] },
         execute: async ({ hang }) => { console.warn(Date.now()); return hang ? new Promise(() => {}) : 'ok' } }`;
    const directory = makePlugin({
      id: 'p',
      permissions: { time: true, network: ['a.test', 'b.test'] },
      source: `export const tools = [${tool('one', 'a.test')}, ${tool('two', 'b.test')}]`,
    });
    let begun = (): void => {};
    const engine = await startEngine([directory], {
      grant: { p: { time: true } },
      limits: { timeoutMs: 5_000 },
      onEvent: ({ type }) => (type === 'log' ? begun() : undefined),
    });
    expect((await engine.call('two', {})).value).toBe('ok');
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const calling = engine.call('one', { hang: true });
    await beginning;
    // What was the same to both tools is not any more.
    await engine.grant('p', 'network:a.test');
    await engine.close();
    expect((await calling).code).toBe('ENGINE_CLOSED');
  });
});
