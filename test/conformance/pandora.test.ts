/**
 * What a Pandora plugin's author relies on, run end to end: manifest, bundle, guest, brokers, result.
 * Each title begins with its row in the acceptance table of Pandora's contract; rows about reading
 * manifests and configuration alone (S, D, V, N, T1–T3) are tested in `test/formats/pandora`.
 */
import { createServer, type Server } from 'node:http';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine } from '../../src/index.js';
import { makeDirectory, makePlugin, runTool, startEngine } from '../engine/plugin-on-disk.js';

const caught = (expression: string): string =>
  `async () => { try { return String(await (${expression})) } catch (error) { return 'threw ' + error.message } }`;

describe('a compartment', () => {
  const tools = {
    arrow: 'async ({ n }) => n + 1',
    declared: 'async function run({ n }) { return n + 1 }',
    exit: caught('process.exit()'),
    process:
      '() => [typeof globalThis.process, Object.keys(process.env), typeof process.mainModule]',
    binding: caught("process.binding('fs')"),
    kill: caught('process.kill(process.ppid)'),
    require: caught("require(['f', 's'].join(''))"),
    fetch: '() => typeof fetch',
    classes: '() => new (class A { x = 1; get y() { return 2 } })()',
    functions: '() => ({ a: () => 1, b: 1 })',
    circular: '() => { const a = []; a.push(a); return a }',
    undefined: '() => {}',
    large: "() => ({ text: 'x'.repeat(1024 * 1024) })",
    pollute: caught('Object.assign(Object.prototype, { polluted: 1 })'),
    polluted: '() => ({}).polluted ?? null',
    import: caught("import(['node', 'fs'].join(':'))"),
    globals:
      "() => ['Buffer', 'global', 'setImmediate', 'WebSocket', 'crypto', 'document'].map((name) => typeof globalThis[name])",
    fail: "() => { throw new TypeError('no such city') }",
    stack: '() => { try { null.x } catch (error) { return error.stack } }',
    frozen:
      '() => [Array.prototype, Object.prototype, Function.prototype, Promise].map(Object.isFrozen)',
    mark: '() => { globalThis.mark = 1; return globalThis.mark }',
    marked: '() => typeof globalThis.mark',
  };
  let engine: Engine;
  const value = async (tool: string, input: unknown = {}): Promise<unknown> =>
    (await engine.call(tool, input)).value;

  beforeAll(async () => {
    engine = await startEngine([
      makePlugin({ id: 'one', tools }),
      makePlugin({ id: 'two', tools: { other: tools.marked, spoiled: tools.polluted } }),
    ]);
  });

  it('P-C1, P-C2: runs async functions and arrows on the input, and answers their results', async () => {
    expect(await value('arrow', { n: 1 })).toBe(2);
    expect(await value('declared', { n: 2 })).toBe(3);
  });

  it('P-C3: has no process, and what stands in for it in bundled code has no power', async () => {
    expect(await value('process')).toEqual(['undefined', [], 'undefined']);
    for (const tool of ['exit', 'binding', 'kill']) {
      expect(await value(tool)).toMatch(/^threw .*refused to plugins/);
    }
  });

  it('P-C4: requires nothing that was not bundled', async () => {
    expect(await value('require')).toMatch(/^threw /);
  });

  it('P-C5: has no fetch unless a host is declared', async () => {
    expect(await value('fetch')).toBe('undefined');
  });

  it('P-C6: output is JSON, with prototypes stripped', async () => {
    expect(await value('classes')).toEqual({ x: 1 });
  });

  it('P-C7: functions in the output are left out', async () => {
    expect(await value('functions')).toEqual({ b: 1 });
  });

  it('P-C8: circular output is an error', async () => {
    expect((await engine.call('circular', {})).code).toBe('RESULT_INVALID');
  });

  it('P-C9: undefined becomes null', async () => {
    expect(await value('undefined')).toBeNull();
  });

  it('P-C10: output over 1 MB is refused', async () => {
    expect((await engine.call('large', {})).code).toBe('RESULT_TOO_LARGE');
  });

  it('P-C11: what is no function is no tool, and costs no other', async () => {
    const directory = makePlugin({
      id: 'half',
      source: `const base = { name: 'n', description: 'd', annotations: { readOnlyHint: true } };
        export const tools = [{ ...base, id: 'text', execute: 'return 1' }, { ...base, id: 'good', execute: () => 1 }];`,
    });
    const half = await startEngine([directory]);
    expect(half.catalog.list().map(({ tool }) => tool)).toEqual(['good']);
    expect(half.plugins()[0]?.problems).toMatchObject([{ code: 'INVALID_TOOL' }]);
  });

  it('P-C12, P-C13, P-C18: shares neither globals nor polluted prototypes with another plugin', async () => {
    expect(await value('mark')).toBe(1);
    expect(await value('other')).toBe('undefined');
    expect(await value('pollute')).toMatch(/^threw /);
    expect(await value('polluted')).toBeNull();
    expect(await value('spoiled')).toBeNull();
  });

  it('P-C14: import() of what was not bundled is refused', async () => {
    expect(await value('import')).toMatch(/^threw .*bundled/);
  });

  it('P-C15: has none of the host’s globals', async () => {
    expect(await value('globals')).toEqual(Array.from({ length: 6 }, () => 'undefined'));
  });

  it('P-C16, P-B2: an error reaches the caller as its message, without internals', async () => {
    const result = await engine.call('fail', {});
    expect(result.content).toEqual([{ type: 'text', text: 'no such city' }]);
    expect(await value('stack')).toBe('');
  });

  it('P-C17: intrinsics are frozen', async () => {
    expect(await value('frozen')).toEqual([true, true, true, true]);
  });
});

describe('permissions', () => {
  it('P-P1, P-M4: time gives Date.now and Intl.DateTimeFormat', async () => {
    const result = await runTool(
      '() => [typeof Date.now(), new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(new Date(0))]',
      { permissions: { time: true } },
    );
    expect(result.value).toEqual(['number', '1/1/1970']);
  });

  it('P-P2: without time, Date.now is denied with its remedy and Intl is absent', async () => {
    const denied = await runTool('() => Date.now()');
    expect(denied).toMatchObject({ code: 'TIME_DENIED' });
    expect(denied.content[0]?.text).toMatch(/sample.*"time".*pandora\.manifest\.json/s);
    expect((await runTool('() => typeof Intl')).value).toBe('undefined');
  });

  it('P-P3: random opens Math.random and nothing else changes in Math', async () => {
    const use = '() => [typeof Math.random(), Math.floor(1.5), Math.max(1, 2)]';
    const granted = await runTool(use, { permissions: { random: true } });
    expect(granted.value).toEqual(['number', 1, 2]);
    expect((await runTool(use)).code).toBe('RANDOM_DENIED');
    expect((await runTool('() => Math.floor(1.5)')).value).toBe(1);
  });

  it('P-P4, P-M5, P-B3: env has the declared keys as they were at load, and only those', async () => {
    const use =
      '(input, context) => [env.get("KEY"), context.env.KEY, env.get("OTHER") ?? null, context.env.OTHER ?? null]';
    const options = { env: { KEY: 'k', OTHER: 'o' } };
    const granted = await runTool(use, { permissions: { env: ['KEY'] } }, options);
    expect(granted.value).toEqual(['k', 'k', null, null]);
    for (const permissions of [{ env: [] }, {}]) {
      const without = await runTool(
        '(i, { env: e }) => [typeof env, Object.keys(e)]',
        { permissions },
        options,
      );
      expect(without.value).toEqual(['undefined', []]);
    }
  });

  it('P-P5: readFile reads below declared prefixes, and nowhere else', async () => {
    const directory = makeDirectory();
    const files = {
      'data/a.txt': 'inside',
      'data-secrets/b.txt': 'beside',
      'top.txt': 'above',
    };
    makePlugin(
      { permissions: { fs: ['data'] }, files, tools: { run: caught('readFile("data/a.txt")') } },
      directory,
    );
    symlinkSync(join(directory, 'top.txt'), join(directory, 'data/link.txt'));
    const attempt = async (path: string): Promise<unknown> => {
      makePlugin(
        {
          permissions: { fs: ['data'] },
          tools: { run: caught(`readFile(${JSON.stringify(path)})`) },
        },
        directory,
      );
      return (await (await startEngine([directory])).call('run', {})).value;
    };
    expect(await attempt('data/a.txt')).toBe('inside');
    for (const path of [
      'top.txt',
      'data/../top.txt',
      'data-secrets/b.txt',
      'data/link.txt',
      '/etc/passwd',
    ]) {
      expect(await attempt(path)).toMatch(/^threw Filesystem denied/);
    }
    expect((await runTool('() => typeof readFile', { permissions: { fs: [] } })).value).toBe(
      'undefined',
    );
  });

  it('P-P8: what is endowed is frozen', async () => {
    const result = await runTool(
      '() => [fetch, env, Math, readFile, console].map(Object.isFrozen)',
      {
        permissions: { network: ['example.com'], env: ['A'], random: true, fs: ['.'] },
      },
    );
    expect(result.value).toEqual([true, true, true, true, true]);
  });
});

describe('network', () => {
  let server: Server;
  let url = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/away') {
        response.writeHead(302, { location: 'http://127.0.0.1:9/secret' });
        response.end();
      } else response.end(JSON.stringify({ path: request.url, host: request.headers.host }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  });
  afterAll(() => {
    server.close();
  });
  const attempt = async (target: string, hosts: readonly string[]): Promise<unknown> =>
    (
      await runTool(
        caught(`fetch(${JSON.stringify(target)}).then((response) => response.text())`),
        { permissions: { network: hosts } },
        { network: { overrides: [{ host: 'api.example.test', url }] } },
      )
    ).value;

  it('P-P6, P-P7: fetch reaches declared hosts, and no others', async () => {
    expect(await attempt('https://api.example.test/a', ['api.example.test'])).toBe(
      '{"path":"/a","host":"api.example.test"}',
    );
    expect(await attempt('https://api.example.test/a', ['one.test', 'api.example.test'])).toContain(
      '/a',
    );
    expect(await attempt('https://other.test/', ['api.example.test'])).toMatch(
      /^threw Network denied: /,
    );
    expect((await runTool('() => typeof fetch', { permissions: { network: [] } })).value).toBe(
      'undefined',
    );
  });

  it.each([
    'http://127.0.0.1/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[::1]/',
    'http://[fc00::1]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'http://100.64.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
  ])('P-P6: %s is refused though it is declared', async (target) => {
    expect(await attempt(target, [new URL(target).hostname])).toMatch(/^threw SSRF blocked: /);
  });

  it('P-P6: a redirect is checked like a request', async () => {
    expect(await attempt('https://api.example.test/away', ['api.example.test'])).toMatch(/^threw /);
  });

  it('P-P6: file: is refused', async () => {
    expect(await attempt('file:///etc/passwd', ['api.example.test'])).toMatch(/^threw /);
  });
});

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

  it('P-B6, P-B8: a tool is stopped after its own timeout, 60 s where it has none', async () => {
    const directory = makePlugin({
      id: 'timed',
      source: `const base = { name: 'n', description: 'd', annotations: { readOnlyHint: true } };
        export const tools = [
          { ...base, id: 'short', timeout: 100, execute: () => new Promise(() => {}) },
          { ...base, id: 'plain', execute: () => 1 },
          { ...base, id: 'endless', timeout: Infinity, execute: () => 1 },
        ];`,
    });
    const engine = await startEngine([directory]);
    expect((await engine.call('short', {})).content[0]?.text).toBe(
      'timed:short did not finish within 100 ms and was stopped.',
    );
    expect(engine.catalog.find('plain')?.timeoutMs).toBe(60_000);
    expect(engine.catalog.find('endless')?.timeoutMs).toBe(60_000);
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

  it('P-T8, P-T10: alerts are told, and a resolveTools that throws costs only what it makes', async () => {
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
