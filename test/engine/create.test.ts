import { describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from './plugin-on-disk.js';

const ECHO = { echo: '(input) => input' };

describe('createEngine', () => {
  it.each([
    [{ plugins: 'x' }, 'plugins'],
    [{ plugins: [], limits: { timeoutMs: 0 } }, 'limits.timeoutMs'],
    [{ plugins: [], limits: { timeoutMs: Infinity } }, 'limits.timeoutMs'],
    [{ plugins: [], limits: { tiemoutMs: 1 } }, 'limits.tiemoutMs'],
    [{ plugins: [], walls: { require: ['moat'] } }, 'walls.require'],
  ])('refuses %j, naming %s', async (options, option) => {
    await expect(createEngine(options as unknown as EngineOptions)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { option },
    });
  });

  it('starts if a required wall is active', async () => {
    const engine = await startEngine([], { walls: { require: ['process', 'compartment'] } });
    const stands = (await engine.guarantees()).filter((one) => one.active);
    expect(stands.map(({ wall }) => wall)).toContain('compartment');
  });

  it('grants nothing if the host grants nothing', async () => {
    const directory = makePlugin({
      permissions: { time: true },
      tools: { now: '() => Date.now()' },
    });
    const engine = await createEngine({
      plugins: [directory],
      cacheDirectory: makeDirectory(),
      logger: silentLogger,
    });
    expect(await engine.call('now', {})).toMatchObject({ isError: true, code: 'TIME_DENIED' });
    await engine.close();
  });

  it('loads the other plugins if one is broken, and reports what is wrong with it', async () => {
    const engine = await startEngine([
      makePlugin({ id: 'fine', tools: ECHO }),
      makePlugin({ id: 'throws', source: "throw new Error('at the top')" }),
      makePlugin({ id: 'syntax', source: 'export const tools = [' }),
      makePlugin({ id: 'manifest', manifest: { surprise: 1 } }),
      makePlugin({ id: 'fine', tools: ECHO }),
    ]);
    const of = (id: string) => engine.plugins().find((plugin) => plugin.id === id);
    expect((await engine.call('fine:echo', { x: 1 })).value).toEqual({ x: 1 });
    expect(of('throws')).toMatchObject({
      state: 'failed',
      problems: [{ code: 'LOAD_FAILED', message: expect.stringContaining('at the top') }],
    });
    expect(of('syntax')).toMatchObject({ state: 'failed', problems: [{ code: 'BUNDLE_FAILED' }] });
    const broken = engine.plugins().filter(({ format }) => format === undefined);
    expect(broken.flatMap(({ problems }) => problems.map(({ code }) => code)).toSorted()).toEqual([
      'INVALID_MANIFEST',
      'NAME_COLLISION',
    ]);
  });

  it('is stopped by no plugin that never finishes loading', async () => {
    const engine = await startEngine(
      [
        makePlugin({ id: 'fine', tools: ECHO }),
        makePlugin({ id: 'loops', source: 'for (;;);' }),
        makePlugin({ id: 'waits', source: 'await new Promise(() => {}); export const tools = []' }),
        makePlugin({
          id: 'resolves',
          source:
            'export const tools = []; export const resolveTools = () => new Promise(() => {})',
        }),
      ],
      { limits: { loadTimeoutMs: 3_000 } },
    );
    for (const id of ['loops', 'waits', 'resolves']) {
      expect(engine.plugins().find((plugin) => plugin.id === id)).toMatchObject({
        state: 'failed',
        problems: [{ code: 'DEADLINE_EXCEEDED' }],
      });
    }
    expect((await engine.call('fine:echo', { x: 1 })).value).toEqual({ x: 1 });
  });
});

describe('an inactive plugin', () => {
  it('is listed with the reason, and a call of its tool says it', async () => {
    const needy = makePlugin({
      id: 'needy',
      manifest: { envVars: [{ name: 'KEY' }] },
      tools: ECHO,
    });
    const off = makePlugin({ id: 'off', tools: ECHO });
    const engine = await startEngine([needy, off], { config: { off: { enabled: false } } });
    expect(engine.plugins().map(({ state }) => state)).toEqual(['inactive', 'inactive']);
    await expect(engine.call('needy:echo', {})).rejects.toMatchObject({
      code: 'PLUGIN_INACTIVE',
      message: expect.stringContaining('KEY'),
    });
    await expect(engine.call('off__echo', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
  });
});
