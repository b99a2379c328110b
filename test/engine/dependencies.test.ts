import { describe, expect, it } from 'vitest';
import { type BulkheadEvent, type Engine } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

/** An engine with a plugin whose package measures itself, and opens connections. */
async function startWithPackage(
  permissions: object,
): Promise<{ readonly engine: Engine; readonly events: readonly BulkheadEvent[] }> {
  const plugin = makePlugin({
    permissions,
    source: `import { after, atLoad, open, socket } from 'measures';
      const reads = { date: () => Date.now(), random: () => Math.random() };
      const tool = (id, execute) => ({ id, name: id, description: id, parameters: {}, execute });
      export const tools = [
        tool('package', async () => [atLoad, after(), after()]),
        ...Object.entries(reads).map(([id, read]) => tool(id, async () => read())),
        tool('kinds', async () => [typeof WebSocket, open === undefined ? 0 : 1]),
        tool('open', async () => open()),
        tool('handled', () => socket(true)),
        tool('unhandled', () => socket(false)),
      ];`,
    files: {
      'node_modules/measures/package.json': '{ "name": "measures", "version": "1.0.0" }',
      'node_modules/measures/index.js': `
        exports.atLoad = [Date.now(), Math.random(), performance.now()];
        exports.after = () => [Date.now(), new Date().getTime(), Math.random()];
        exports.open = () => new WebSocket('wss://a.example/socket');
        exports.socket = (handle) => new Promise((resolve) => {
          const socket = require('net').connect(80, 'a.example');
          if (handle) socket.on('error', (error) => resolve(error.code));
          else setTimeout(() => resolve('late'), 50);
        });`,
    },
  });
  const events: BulkheadEvent[] = [];
  const engine = await startEngine([plugin], { onEvent: (event) => events.push(event) });
  return { engine, events };
}

/** What code sees of a global object with a property that it fixed, in `seen`. */
const DEFINES = `'use strict';
        const key = Symbol.for('dispatcher');
        const g = globalThis;
        const seen = [];
        const attempt = (run) => { try { seen.push(run()); } catch (error) { seen.push(error.name); } };
        const shape = () => { const { value, writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(g, key); return [value, writable, enumerable, configurable].join(); };
        attempt(() => Object.defineProperty(g, key, { value: 1, writable: true, enumerable: false, configurable: false }) === g);
        attempt(shape);
        attempt(() => { g[key] = 2; return g[key]; });
        attempt(shape);
        attempt(() => delete g[key]);
        attempt(() => [key in g, Object.hasOwn(g, key), Reflect.ownKeys(g).includes(key), Object.keys(g).includes(key)].join());
        attempt(() => Reflect.defineProperty(g, key, { configurable: true }));
        attempt(() => Reflect.defineProperty(g, key, { value: 3 }));
        attempt(() => Reflect.defineProperty(g, key, { writable: false }));
        attempt(shape);
        attempt(() => { 'use strict'; g[key] = 4; });
        attempt(() => Reflect.defineProperty(g, key, { value: 5 }));
        attempt(() => Reflect.defineProperty(g, 'accessed', { get: () => 6, configurable: false }) && g.accessed);
        attempt(() => Reflect.defineProperty(g, 'loose', { value: 7 }) && g.loose);
        attempt(() => typeof Object.getOwnPropertyDescriptor(g, 'accessed').get);`;

/** Once: the property stays. */
const IN_NODE: unknown = new Function(`${DEFINES} return seen;`)();

describe('the code of a dependency', () => {
  it('has a fixed clock and fixed numbers without the permissions, at load and later, with one denial of each', async () => {
    const { engine, events } = await startWithPackage({});
    const { value } = await engine.call('package', {});
    const number = expect.any(Number);
    expect(value).toEqual([
      [0, number, 0],
      [0, 0, number],
      [0, 0, number],
    ]);
    // Its numbers are the same in each guest, and not all the same, so that loops over them end.
    const again = await startWithPackage({});
    expect((await again.engine.call('package', {})).value).toEqual(value);
    const counts = new Map<string, number>();
    for (const event of events) {
      if (event.type !== 'capability-denied') continue;
      counts.set(event.permission, (counts.get(event.permission) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({ time: 1, random: 1 });
  });

  it.each(['separate', 'together'] as const)(
    'may define a fixed property of the global object, as in Node: %s',
    async (how) => {
      const plugin = makePlugin({
        source: `import { seen } from 'defines'; export const tools = [{ id: 'run', name: 'run', description: 'd', annotations: { readOnlyHint: true }, execute: async () => seen }];`,
        files: {
          'node_modules/defines/package.json': '{ "name": "defines", "version": "1.0.0" }',
          'node_modules/defines/index.js': `${DEFINES} exports.seen = seen;`,
        },
      });
      const engine = await startEngine([plugin], { packages: { '*': how } });
      expect((await engine.call('run', {})).value).toEqual(IN_NODE);
    },
  );

  it('leaves the errors of the plugin itself', async () => {
    const { engine } = await startWithPackage({});
    expect(await engine.call('date', {})).toMatchObject({ code: 'TIME_DENIED' });
    expect(await engine.call('random', {})).toMatchObject({ code: 'RANDOM_DENIED' });
  });

  it('has the real clock with the permission', async () => {
    const { engine } = await startWithPackage({ time: true, random: true });
    const { value } = await engine.call('package', {});
    const [[now = 0] = []] = value as readonly (readonly number[])[];
    expect(Math.abs(Date.now() - now)).toBeLessThan(600_000);
  });

  it('has a class WebSocket that is refused by name, and the plugin has none', async () => {
    const { engine } = await startWithPackage({ time: true, random: true });
    expect((await engine.call('kinds', {})).value).toEqual(['undefined', 1]);
    const { code, content, denied } = await engine.call('open', {});
    expect(code).toBe('BUILTIN_DENIED');
    expect(JSON.stringify(content)).toMatch(/new WebSocket is refused .*Use fetch/);
    expect(denied).toMatchObject([
      { permission: 'builtin', wanted: 'WebSocket wss://a.example/socket' },
    ]);
  });

  it('gets the refusal of a connection as an event, and the host lists it', async () => {
    const { engine } = await startWithPackage({ time: true, random: true });
    const handled = await engine.call('handled', {});
    expect(handled.value).toBe('EACCES');
    expect(handled.denied).toMatchObject([
      { permission: 'network', wanted: 'net.connect a.example:80' },
    ]);
    const unhandled = await engine.call('unhandled', {});
    expect(unhandled.denied).toMatchObject([{ permission: 'network' }]);
  });
});
