import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../../src/index.js';
import { startEngine } from '../plugin-on-disk.js';
import { makeVellum, type VellumSpec } from '../vellum-on-disk.js';

/** When a plugin begins and when it is let go. Titles begin with their row in the acceptance table. */

const DIALECTS = ['classic', 'current'] as const;

const STATE = 'export const state = { log: [] };';
const IMPORT = 'import { state } from "../lib/state";';
/** A hook that writes down that it ran, and what it was told. */
const note = (name: string): string =>
  `${IMPORT} export default (ctx) => { const { logger, ...rest } = ctx; state.log.push(${JSON.stringify(name)}); console.warn(${JSON.stringify(name)}, JSON.stringify(rest)); }`;
const tell = `${IMPORT} export default { execute: () => ({ content: state.log.join(), isError: false }) };`;

interface Stage {
  readonly engine: Engine;
  readonly events: BulkheadEvent[];
  /** The lines that plugins logged, with their plugin. */
  readonly lines: () => string[];
}

async function stage(
  plugins: readonly VellumSpec[],
  options: Partial<EngineOptions> = {},
): Promise<Stage> {
  const events: BulkheadEvent[] = [];
  const directories = plugins.map((spec, index) =>
    makeVellum({
      name: `p${index}`,
      ...spec,
      files: {
        'lib/state.ts': STATE,
        'install-meta.json': JSON.stringify({ installedAt: `2026-01-0${index + 1}` }),
        ...spec.files,
      },
    }),
  );
  const engine = await startEngine(directories, {
    onEvent: (event) => events.push(event),
    ...options,
  });
  const lines = (): string[] =>
    events.flatMap((event) => (event.type === 'log' ? [`${event.plugin} ${event.text}`] : []));
  return { engine, events, lines };
}

describe.each(DIALECTS)('a plugin of the %s semantics', (semantics) => {
  const hooks = { semantics };

  it('V-B1, V-H1: runs init before anything else, once in each guest', async () => {
    const { engine, lines } = await stage(
      [{ hooks: { init: note('init'), stop: note('stop') }, tools: { tell } }],
      { hooks: { ...hooks, assistantVersion: '0.9.7' }, config: { p0: { city: 'Oslo' } } },
    );
    await engine.hooks.run('stop', {});
    expect(JSON.stringify((await engine.call('tell', {})).content)).toContain('init,stop');
    const [first, ...rest] = lines();
    expect(JSON.parse(first?.slice('p0 init '.length) ?? '')).toMatchObject({
      config: { city: 'Oslo' },
      assistantVersion: '0.9.7',
      ...(semantics === 'classic' ? { credentials: {} } : {}),
    });
    expect(rest.filter((line) => line.startsWith('p0 init'))).toEqual([]);
  });

  it('V-B2: whose init throws is unloaded or runs on, as its semantics says, without effect on others', async () => {
    const bad = 'export default () => { throw new Error("no licence") }';
    const { engine } = await stage(
      [
        { hooks: { init: bad }, tools: { tell } },
        { name: 'good', hooks: { init: note('init') } },
      ],
      { hooks },
    );
    const [first, second] = engine.plugins();
    const aborts = semantics === 'classic';
    expect(first?.state).toBe(aborts ? 'failed' : 'active');
    expect(first?.tools.map(({ tool }) => tool)).toEqual(aborts ? [] : ['tell']);
    if (aborts) {
      expect(first?.problems).toContainEqual({
        code: 'LOAD_FAILED',
        message: expect.stringContaining('no licence'),
      });
    }
    expect(second?.state).toBe('active');
  });

  it('whose init never ends is killed, and does not block other plugins for long', async () => {
    for (const body of ['() => new Promise(() => {})', '() => { for (;;); }']) {
      const { engine } = await stage(
        [{ hooks: { init: `export default ${body}` }, tools: { tell } }, { tools: { tell } }],
        { hooks, limits: { loadTimeoutMs: 3_000 } },
      );
      expect(engine.plugins().map(({ state }) => state)).toEqual(['failed', 'active']);
      expect(engine.plugins()[0]?.problems[0]?.code).toBe('DEADLINE_EXCEEDED');
    }
  });

  it('starts at its first use if the host wants that, and starts again after a crash', async () => {
    const crash =
      'export default { execute: () => { const all = []; for (;;) all.push(new Array(1e6).fill(0)); } };';
    const { engine, lines } = await stage(
      [{ hooks: { init: note('init') }, tools: { tell, crash } }],
      {
        hooks: { ...hooks, init: 'first-use' },
        limits: { memoryMb: 48 },
      },
    );
    expect(lines()).toEqual([]);
    expect(JSON.stringify((await engine.call('tell', {})).content)).toContain('init');
    expect((await engine.call('crash', {})).code).toMatch(/^GUEST_/);
    expect(JSON.stringify((await engine.call('tell', {})).content)).toContain('init');
    expect(lines().filter((line) => line.startsWith('p0 init'))).toHaveLength(2);
  });

  it('V-B3: is shut down with the engine, in the order of its semantics, if it had started', async () => {
    const both = { init: note('init'), shutdown: note('shutdown') };
    const { engine, lines } = await stage(
      [{ hooks: both }, { hooks: both }, { hooks: { shutdown: note('never') } }],
      { hooks },
    );
    await engine.close();
    const down = lines().filter((line) => / (shutdown|never) /.test(line));
    expect(down.map((line) => line.slice(0, 'p0 shutdown'.length))).toEqual(
      semantics === 'classic' ? ['p1 shutdown', 'p0 shutdown'] : ['p0 shutdown', 'p1 shutdown'],
    );
    const told: unknown = JSON.parse(down[0]?.slice('p0 shutdown '.length) ?? '');
    expect(told).toEqual({
      assistantVersion: '0.9.0',
      ...(semantics === 'classic' ? {} : { reason: 'shutdown' }),
    });
  });

  it('does not prevent the engine from closing when its shutdown misbehaves', async () => {
    const bodies = ['() => { for (;;); }', '() => new Promise(() => {})', '() => { throw 1 }'];
    const { engine } = await stage(
      bodies.map((body) => ({
        hooks: { init: note('init'), shutdown: `export default ${body}` },
      })),
      { hooks, limits: { shutdownTimeoutMs: 500 } },
    );
    const began = performance.now();
    await engine.close();
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('an engine without plugins', () => {
  it('V-B4: starts and closes', async () => {
    const engine = await startEngine([]);
    expect((await engine.hooks.run('stop', {})).reports).toEqual([]);
    await engine.close();
    await expect(engine.hooks.run('stop', {})).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });
});
