/** `AsyncLocalStorage` in guests, beside Node's own. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Engine, EngineOptions } from '../../src/index.js';
import { makePlugin, type PluginSpec, startEngine } from './plugin-on-disk.js';

/** The body of a function that returns what it saw, as lists of texts. */
const PROGRAM = `
  const [user, trace] = [new AsyncLocalStorage(), new AsyncLocalStorage()];
  const slow = new Promise((resolve) => setTimeout(resolve, 5));
  const seen = [];
  const note = (where) => seen.push(where + ': ' + String(user.getStore()) + '/' + String(trace.getStore()));
  const inOrder = async (name) => {
    note('begin');
    await null; note('await');
    await slow; note('await of a promise made outside');
    await new Promise((resolve) => setTimeout(() => { note('timer'); resolve(); }, 1));
    await new Promise((resolve) => setImmediate(() => { note('immediate'); resolve(); }));
    await new Promise((resolve) => process.nextTick(() => { note('next tick'); resolve(); }));
    await new Promise((resolve) => queueMicrotask(() => { note('microtask'); resolve(); }));
    await new Promise((resolve) => { const stop = setInterval(() => { note('interval'); clearInterval(stop); resolve(); }, 1); });
    await trace.run('t' + name, async () => { await slow; note('inner'); });
    note('after inner');
    for await (const part of (async function* () { yield 1; await null; note('generator'); yield 2; })()) note('part ' + part);
    await { then: (resolve) => { note('thenable'); resolve(); } };
    await Promise.all([1, 2].map(async (each) => { await null; note('all ' + each); }));
    try { await Promise.reject(new Error('x')); } catch { note('catch'); }
    await slow.then(() => note('then')).finally(() => note('finally'));
    user.exit(() => note('exit'));
    await user.exit(async () => { await null; note('awaited exit'); });
    note('after exit');
    return seen.splice(0);
  };
  const alone = await user.run('first', inOrder, 'a');
  const together = await Promise.all(['x', 'y'].map((name) => user.run(name, async () => {
    const own = [];
    for (let turn = 0; turn < 3; turn += 1) { await new Promise((resolve) => setTimeout(resolve, turn)); own.push(user.getStore()); }
    return own.join();
  })));
  const resource = user.run('made', () => new AsyncResource('WORK'));
  const bound = user.run('bound', () => AsyncLocalStorage.bind(function (more) { return [user.getStore(), this?.self, more].join(); }));
  const inside = user.run('snap', () => AsyncLocalStorage.snapshot());
  const emitter = new EventEmitter();
  user.run('listener', () => emitter.on('x', () => note('listener')));
  user.run('emitter', () => emitter.emit('x'));
  const kept = user.run('later', () => Promise.resolve().then(() => { user.enterWith('entered'); note('entered'); return null; }).then(() => note('next then')));
  await kept;
  const errors = [];
  try { user.run('throws', () => { throw new Error('thrown'); }); } catch (error) { errors.push(error.message, String(user.getStore())); }
  const other = new AsyncLocalStorage();
  other.run(1, () => { other.disable(); errors.push(String(other.getStore())); other.run(2, () => errors.push(String(other.getStore()))); });
  return [
    alone, together, seen,
    resource.runInAsyncScope((a, b) => [user.getStore(), a + b].join(), null, 1, 2),
    user.run('x', () => resource.bind(() => user.getStore())()),
    user.run('x', () => AsyncResource.bind(() => user.getStore()))(),
    bound.call({ self: 'me' }, 'more'),
    inside((a) => [user.getStore(), a].join(), 'arg'),
    String(user.getStore()), errors,
  ];
`;

/** What plain Node returns. */
function inNode(): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    input: `import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'; import { EventEmitter } from 'node:events';
        const run = async () => {${PROGRAM}};
        process.stdout.write(JSON.stringify(await run()));`,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const IMPORTS = `import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'; import { EventEmitter } from 'node:events';\n`;

function toolsOf(tools: Readonly<Record<string, string>>, before = ''): string {
  const listed = Object.entries(tools).map(
    ([id, body]) =>
      `{ id: '${id}', name: '${id}', description: '${id}', annotations: { readOnlyHint: true }, execute: async (input, context) => {${body}} }`,
  );
  return `${IMPORTS}${before}\nexport const tools = [${listed.join(',\n')}];`;
}

interface Started {
  readonly engine: Engine;
  readonly call: (tool: string) => Promise<unknown>;
}

async function start(spec: PluginSpec, options: Partial<EngineOptions> = {}): Promise<Started> {
  const engine = await startEngine([makePlugin(spec)], options);
  return {
    engine,
    call: async (tool) => {
      const { value, isError } = await engine.call(tool, {});
      expect(isError).toBe(false);
      return value;
    },
  };
}

describe('AsyncLocalStorage', () => {
  it('follows promises, timers and microtasks as in Node', async () => {
    const { call } = await start({ source: toolsOf({ run: PROGRAM }) });
    const seen = await call('run');
    expect(seen).toEqual(inNode());
    expect(JSON.stringify(seen)).toContain('await of a promise made outside: first/undefined');
  });

  it('follows it in a package that runs separately, and in two that share a context', async () => {
    const { call } = await start(
      {
        source: `${IMPORTS}import { store, within } from 'context'; import { read } from 'reader';
          export const tools = [{ id: 'run', name: 'run', description: 'run', annotations: { readOnlyHint: true }, execute: () =>
            within('value', async () => { await null; await new Promise((resolve) => setTimeout(resolve, 1)); return [store.getStore(), await read()]; }) }];`,
        files: {
          'node_modules/context/package.json': '{ "name": "context", "version": "1.0.0" }',
          'node_modules/context/index.js': `const { AsyncLocalStorage } = require('async_hooks');
            exports.store = new AsyncLocalStorage();
            exports.within = (value, callback) => exports.store.run(value, callback);`,
          'node_modules/reader/package.json':
            '{ "name": "reader", "version": "1.0.0", "dependencies": { "context": "1" } }',
          'node_modules/reader/index.js': `exports.read = async () => { await null; return require('context').store.getStore(); };`,
        },
      },
      { packages: { '*': 'separate' } },
    );
    expect(await call('run')).toEqual(['value', 'value']);
  });

  it('follows frozen promises, and adds nothing to any', async () => {
    const { call } = await start({
      source: toolsOf({
        run: `const store = new AsyncLocalStorage();
          const before = Object.freeze(new Promise((resolve) => setTimeout(resolve, 2)));
          return store.run('secret', async () => {
            const during = Object.freeze(Promise.resolve());
            const keys = [before, during, (async () => {})()].flatMap((promise) => Reflect.ownKeys(promise));
            await before; await during;
            return [store.getStore(), keys.length];
          });`,
      }),
    });
    expect(await call('run')).toEqual(['secret', 0]);
  });

  it('has the default of Node 24, also if a store is undefined, and a name', async () => {
    const { call } = await start({
      source: toolsOf({
        run: `const store = new AsyncLocalStorage({ defaultValue: 'default', name: 'user' });
          return [store.name, store.getStore(), store.run(1, () => store.getStore()), typeof store.exit(() => store.getStore()), store.getStore()];`,
      }),
    });
    expect(await call('run')).toEqual(['user', 'default', 1, 'undefined', 'default']);
  });

  it('survives a stack that is full of promises', async () => {
    const { call } = await start({
      source: toolsOf({
        run: `const store = new AsyncLocalStorage();
          const fill = () => { try { Promise.resolve().then(() => {}); fill(); } catch { return; } };
          return store.run('kept', async () => { fill(); await null; return [store.getStore(), new AsyncLocalStorage().getStore()]; });`,
      }),
    });
    expect(await call('run')).toEqual(['kept', null]);
  });

  it('keeps what code has entered out of the next call', async () => {
    const { call, engine } = await start({
      source: toolsOf(
        {
          waits: `const { signal } = context; store.enterWith('of the call');
            await new Promise((resolve) => signal.addEventListener('abort', () => { store.enterWith('leaked'); resolve(); }));`,
          reads: `await null; return String(store.getStore());`,
          // The listener of a timer enters a value, and nothing leaves it.
          later: `setTimeout(() => store.enterWith('of a timer'), 1); queueMicrotask(() => store.enterWith('of a microtask'));`,
        },
        'const store = new AsyncLocalStorage();',
      ),
    });
    const stop = new AbortController();
    const waiting = engine.call('waits', {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    expect(await waiting).toMatchObject({ code: 'CANCELLED' });
    expect(await call('reads')).toBe('undefined');
    await call('later');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await call('reads')).toBe('undefined');
  });
});
