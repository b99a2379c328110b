import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ApprovalRequest,
  type BulkheadEvent,
  createEngine,
  type EngineOptions,
} from '../../src/index.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from './plugin-on-disk.js';

const ECHO = { echo: '(input) => input' };
const starts = (events: readonly BulkheadEvent[]): number =>
  events.filter(({ type }) => type === 'guest-started').length;

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

  it('starts where a required wall stands', async () => {
    const engine = await startEngine([], { walls: { require: ['process', 'compartment'] } });
    const stands = (await engine.guarantees()).filter((one) => one.stands);
    expect(stands.map(({ wall }) => wall)).toContain('compartment');
  });

  it('grants nothing where the host says nothing', async () => {
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

  it('lets a broken plugin keep no other from running, and says what is wrong with it', async () => {
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
      { limits: { loadTimeoutMs: 1_000 } },
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

describe('what plugins offer', () => {
  it('is kept by content: a second engine starts no guest until the first call', async () => {
    const directory = makePlugin({ id: 'kept', tools: ECHO });
    const cacheDirectory = makeDirectory();
    await (await startEngine([directory], { cacheDirectory })).close();
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([directory], {
      cacheDirectory,
      onEvent: (event) => events.push(event),
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['kept__echo']);
    expect(starts(events)).toBe(0);
    await engine.call('echo', {});
    expect(starts(events)).toBe(1);
  });

  it('is asked again where a granted variable changed', async () => {
    const directory = makePlugin({
      id: 'dynamic',
      permissions: { env: ['WORD'] },
      source: `export const tools = [];
        export const resolveTools = ({ env }) => ({
          tools: [{ id: env.WORD, name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }],
          alerts: [{ level: 'info', message: 'using ' + env.WORD }],
        });`,
    });
    for (const WORD of ['one', 'two']) {
      const engine = await startEngine([directory], { env: { WORD } });
      expect(engine.catalog.list().map(({ tool }) => tool)).toEqual([WORD]);
      expect(engine.plugins()[0]?.alerts).toEqual([{ level: 'info', message: `using ${WORD}` }]);
      expect((await engine.call(WORD, {})).value).toBe(1);
    }
  });

  it('is not believed where it was kept: a broken file is made anew', async () => {
    const { readdirSync } = await import('node:fs');
    const directory = makePlugin({ id: 'tampered', tools: ECHO });
    const cacheDirectory = makeDirectory();
    await (await startEngine([directory], { cacheDirectory })).close();
    const offers = join(cacheDirectory, 'offers');
    for (const file of readdirSync(offers)) writeFileSync(join(offers, file), '{"tools":');
    const engine = await startEngine([directory], { cacheDirectory });
    expect((await engine.call('echo', { x: 1 })).value).toEqual({ x: 1 });
  });
});

describe('reload', () => {
  it('reads changed plugins, and ends calls under way in the guest that they began in', async () => {
    const directory = makePlugin({
      id: 'changing',
      tools: { version: '() => 1', slow: '() => new Promise((r) => setTimeout(() => r(1), 400))' },
    });
    const engine = await startEngine([directory]);
    const slow = engine.call('slow', {});
    makePlugin({ id: 'changing', tools: { version: '() => 2', added: '() => 3' } }, directory);
    let changes = 0;
    engine.catalog.on('change', () => (changes += 1));
    await Promise.all([engine.reload(), engine.reload()]);
    expect(changes).toBe(2);
    expect((await engine.call('version', {})).value).toBe(2);
    expect((await engine.call('added', {})).value).toBe(3);
    expect((await slow).value).toBe(1);
  });
});

describe('approval', () => {
  const asking = { id: 'asking', entry: { requireApproval: true }, tools: ECHO };

  it('is refused where there is nobody to ask', async () => {
    const engine = await startEngine([makePlugin(asking)]);
    expect(await engine.call('echo', {})).toMatchObject({
      isError: true,
      code: 'APPROVAL_REQUIRED',
    });
  });

  it('shows the very input, and nothing runs before the answer', async () => {
    const seen: ApprovalRequest[] = [];
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([makePlugin(asking)], {
      onEvent: (event) => events.push(event),
      approve: (request) => {
        seen.push(request);
        expect(events.some(({ type }) => type === 'call-started')).toBe(false);
        return 'once';
      },
    });
    expect((await engine.call('echo', { x: 1 })).value).toEqual({ x: 1 });
    expect(seen[0]).toMatchObject({ plugin: 'asking', tool: 'echo', input: { x: 1 } });
  });

  it('is asked of resolved tools too, unless the configuration says otherwise for one', async () => {
    const directory = makePlugin({
      id: 'resolved',
      entry: { requireApproval: true },
      source: `const tool = (id) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute: () => id });
        export const tools = [tool('a')];
        export const resolveTools = async () => ({ tools: [tool('b'), tool('c')], alerts: [] });`,
    });
    const engine = await startEngine([directory], {
      config: { resolved: { requireApproval: { a: false, 'resolved:c': false } } },
    });
    const codes = await Promise.all(
      ['a', 'b', 'c'].map(async (tool) => (await engine.call(tool, {})).code ?? 'ok'),
    );
    expect(codes).toEqual(['ok', 'APPROVAL_REQUIRED', 'ok']);
    const background = engine.catalog.list().filter((tool) => tool.background);
    expect(background.map(({ tool }) => tool)).toEqual(['a', 'c']);
  });
});

describe('host mode', () => {
  const unconfined = {
    id: 'native',
    entry: { sandbox: 'host' },
    source: `import { readFileSync } from 'node:fs';
      export const tools = [
        { id: 'read', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => typeof process.pid + readFileSync('/proc/self/comm', 'utf8').length },
        { id: 'loop', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: () => { for (;;); } },
      ];`,
  };

  it('is refused to a plugin that the operator did not name', async () => {
    const engine = await startEngine([makePlugin(unconfined)], { hostMode: ['other'] });
    expect(engine.plugins()[0]).toMatchObject({
      state: 'failed',
      problems: [{ code: 'HOST_MODE_DENIED', message: expect.stringContaining('hostMode') }],
    });
    await expect(engine.call('native:read', {})).rejects.toMatchObject({ code: 'PLUGIN_INACTIVE' });
  });

  it('gives an allowed plugin a process of its own, which is killed like any other', async () => {
    const engine = await startEngine([makePlugin(unconfined)], { hostMode: ['native'] });
    expect((await engine.call('read', {})).value).toMatch(/^number\d+$/);
    expect((await engine.call('loop', {}, { timeoutMs: 200 })).code).toBe('DEADLINE_EXCEEDED');
    expect((await engine.call('read', {})).value).toMatch(/^number\d+$/);
    expect(engine.catalog.find('read')?.confinement).toBe('host');
  });
});

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
    const grant = (environment: readonly string[]) => ({ grant: { keys: { environment } }, env });
    expect(
      (await (await startEngine([directory], grant(['A', 'C']))).call('seen', {})).value,
    ).toEqual(['1', 'undefined', 'undefined', '1']);
    expect(
      (await (await startEngine([directory], { grant: {}, env })).call('seen', {})).value,
    ).toEqual(['undefined', 'undefined', 'undefined', 'undefined']);
  });
});

describe('the listing', () => {
  it('is what Pandora shows at /api/plugins, with alerts and resolved tools', async () => {
    const directory = makePlugin({
      id: 'listed',
      manifest: {
        version: '1.2.3',
        envVars: [{ name: 'KEY', required: false }],
        configFields: [{ key: 'secret', label: 'Secret', type: 'password' }],
      },
      source: `export const tools = [];
        export const resolveTools = async () => ({
          tools: [{ id: 'made', name: 'Made', description: 'd', annotations: { readOnlyHint: true }, execute: () => 1 }],
          alerts: [{ level: 'warning', message: 'no key' }],
        });`,
    });
    const engine = await startEngine([directory], { config: { listed: { secret: 'hunter2' } } });
    expect(engine.listing()).toMatchObject([
      {
        id: 'listed',
        version: '1.2.3',
        envVars: [{ name: 'KEY', required: false, configured: false }],
        enabled: true,
        provides: {
          tools: {
            toolIds: ['listed:made'],
            alerts: [{ level: 'warning', message: 'no key' }],
          },
        },
      },
    ]);
    expect(JSON.stringify(engine.listing())).not.toContain('hunter2');
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
