import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, CallOptions, Engine, EngineOptions } from '../../../src/index.js';
import { makeExtension } from '../extension-on-disk.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

/** Leaves a secret in each place where its realm, its timers and its storage let it, and looks there. */
const SPY = `
import { readFile, writeFile } from 'node:fs/promises';
import { shelf } from './shelf.ts';
let closure;
let timer;
let ticks = 0;
const places = () => ({
  global: globalThis.secret,
  symbol: globalThis[Symbol.for('secret')],
  closure,
  timer,
  module: shelf.secret,
  tool: tools[0].secret,
});
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
const stored = async () => ({
  storage: await storage.read('secret.txt').catch(() => undefined),
  scratch: await readFile('/tmp/scratch.txt', 'utf8').catch(() => undefined),
});
const look = async () => {
  await pause();
  return Object.entries({ ...places(), ...(await stored()) })
    .flatMap(([place, found]) => found === undefined ? [] : [place + ' ' + found]).sort();
};
const leave = async ({ secret }) => {
  globalThis.secret = secret;
  globalThis[Symbol.for('secret')] = secret;
  closure = secret;
  shelf.secret = secret;
  tools[0].secret = secret;
  setInterval(() => { timer = secret; }, 1);
  await storage.write('secret.txt', secret);
  await writeFile('/tmp/scratch.txt', secret);
  return look();
};
const tool = (id, execute) => ({ id, name: 'n', description: 'd', execute });
export const tools = [
  tool('leave', leave),
  tool('look', look),
  tool('slow', () => new Promise((resolve) => setTimeout(() => resolve(1), 150))),
  tool('hang', () => new Promise(() => {})),
  tool('crash', () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); }),
  tool('credential', () => powers.resolveCredential(['spy/key'])),
  tool('power', () => powers.who(null)),
];
`;

const IN_MEMORY = ['closure', 'global', 'module', 'symbol', 'timer', 'tool'];
const ALL = [...IN_MEMORY, 'scratch', 'storage'].toSorted();

const spy = (): string =>
  makePlugin({
    id: 'spy',
    permissions: { time: true, storage: true, powers: ['credentials', 'who'] },
    source: SPY,
    files: { 'shelf.ts': 'export const shelf = { secret: undefined };' },
  });

interface Started {
  readonly engine: Engine;
  readonly storageDirectory: string;
  readonly pids: () => readonly number[];
  run(tool: string, tenant?: string, more?: CallOptions): Promise<unknown>;
}

async function start(isolation: EngineOptions['isolation'], more: Partial<EngineOptions> = {}) {
  const events: BulkheadEvent[] = [];
  const storageDirectory = makeDirectory();
  const engine = await startEngine([spy()], {
    storageDirectory,
    ...(isolation === undefined ? {} : { isolation }),
    onEvent: (event) => events.push(event),
    ...more,
  });
  const started: Started = {
    engine,
    storageDirectory,
    pids: () => events.flatMap((event) => (event.type === 'guest-started' ? [event.pid] : [])),
    run: async (tool, tenant, options = {}) => {
      const input = tool === 'leave' ? { secret: `of-${tenant}` } : {};
      const own = tenant === undefined ? {} : { tenant };
      const result = await engine.call(`spy:${tool}`, input, { ...own, ...options });
      return result.isError ? result.code : result.value;
    },
  };
  return started;
}

const of = (tenant: string | undefined, places: readonly string[]): readonly string[] =>
  places.map((place) => `${place} of-${tenant}`);

describe('without isolation', () => {
  it('a plugin that keeps a secret shows it to every tenant', async () => {
    const { run, pids } = await start(undefined);
    expect(await run('leave', 'a')).toEqual(of('a', ALL));
    expect(await run('look', 'b')).toEqual(of('a', ALL));
    expect(await run('look')).toEqual(of('a', ALL));
    expect(new Set(pids()).size).toBe(1);
  });
});

describe('isolation by tenant', () => {
  let started: Started;
  beforeAll(async () => {
    started = await start({ spy: 'tenant' });
  });

  it('runs each tenant in a process of its own, in which nothing of another is left', async () => {
    const { run, pids } = started;
    // Starts the guest that describes the plugin, if its tools were not cached.
    const before = pids().length;
    expect(await run('leave', 'a')).toEqual(of('a', ALL));
    expect(pids()).toHaveLength(before + 1);
    const others = ['b', undefined, '', 'A', 'a ', '../a'];
    const seen: unknown[] = [];
    for (const tenant of others) seen.push(await run('look', tenant));
    expect(seen).toEqual([[], [], [], [], [], []]);
    expect(pids()).toHaveLength(before + 7);
    expect(new Set(pids()).size).toBe(pids().length);
    expect(await run('leave', 'b')).toEqual(of('b', ALL));
    // The first tenant still has its state, and its own secret alone.
    expect(await run('look', 'a')).toEqual(of('a', ALL));
    expect(pids()).toHaveLength(before + 7);
  });

  it('keeps their files apart on disk', () => {
    const own = join(started.storageDirectory, 'spy', 'tenants');
    const fileOf = (tenant: string): string =>
      readFileSync(join(own, tenant, 'data', 'secret.txt'), 'utf8');
    expect(readdirSync(own)).toEqual(expect.arrayContaining(['a', 'b']));
    expect([fileOf('a'), fileOf('b')]).toEqual(['of-a', 'of-b']);
  });

  it('gives each tenant databases of its own', async () => {
    const source = `
      import { DatabaseSync } from 'node:sqlite';
      const rows = ({ add }) => {
        const database = new DatabaseSync('/workspace/rows.db');
        database.exec('CREATE TABLE IF NOT EXISTS rows (name TEXT)');
        if (add) database.prepare('INSERT INTO rows VALUES (?)').run(add);
        const all = database.prepare('SELECT name FROM rows').all().map(({ name }) => name);
        database.close();
        return all;
      };
      export const tools = [{ id: 'rows', name: 'n', description: 'd', execute: rows }];`;
    const engine = await startEngine(
      [makePlugin({ source, permissions: { storage: true, time: true } })],
      { storageDirectory: makeDirectory(), isolation: { sample: 'tenant' } },
    );
    const rows = async (tenant: string, input: object): Promise<unknown> => {
      const { value, code } = await engine.call('rows', input, { tenant });
      return code ?? value;
    };
    expect(await rows('a', { add: 'of-a' })).toEqual(['of-a']);
    expect(await rows('b', {})).toEqual([]);
    expect(await rows('b', { add: 'of-b' })).toEqual(['of-b']);
    expect(await rows('a', {})).toEqual(['of-a']);
  });

  it('lists the files of each tenant for that tenant alone', async () => {
    const { run, engine } = await start({ spy: 'tenant' });
    for (const tenant of ['a', 'b']) await run('leave', tenant);
    const contents: string[] = [];
    for (const tenant of ['a', 'b']) {
      const files = engine.files('spy', { tenant });
      const listed = files.list();
      expect(listed.map(({ name }) => name).toSorted()).toEqual(['scratch.txt', 'secret.txt']);
      const id = listed.find(({ name }) => name === 'secret.txt')?.id ?? '';
      contents.push(await new Response((await files.open(id))?.content).text());
      expect(await engine.files('spy', { tenant: 'c' }).open(id)).toBeUndefined();
    }
    expect(contents).toEqual(['of-a', 'of-b']);
    expect(engine.files('spy').list()).toEqual([]);
  });

  it('keeps them apart in dry runs and recorded calls', async () => {
    const { run } = started;
    await run('leave', 'a');
    expect(await run('look', 'c', { dryRun: true })).toEqual([]);
    expect(await run('look', 'c', { record: true })).toEqual([]);
    expect(await run('look', 'a', { dryRun: true })).toEqual(['scratch of-a', 'storage of-a']);
    expect(await run('look', 'a', { record: true })).toEqual(['scratch of-a', 'storage of-a']);
  });

  it('is shown in the status', () => {
    expect(started.engine.plugins()[0]).toMatchObject({ id: 'spy', isolation: 'tenant' });
  });

  it('gives a lent power and the source of credentials the tenant', async () => {
    const stored = new Map([
      ['a', 'key of a'],
      ['b', 'key of b'],
    ]);
    const { run } = await start(
      { spy: 'tenant' },
      {
        credentials: (_plugin, _key, tenant = '') => stored.get(tenant),
        powers: [{ name: 'who', handler: (_args, { tenant = 'none' }) => tenant }],
      },
    );
    expect(await run('credential', 'a')).toBe('key of a');
    expect(await run('credential', 'b')).toBe('key of b');
    expect(await run('credential')).toBe('POWER_FAILED');
    expect(await run('power', 'b')).toBe('b');
    expect(await run('power')).toBe('none');
    const shared = await start(undefined, {
      powers: [{ name: 'who', handler: (_args, { tenant = 'none' }) => tenant }],
    });
    expect(await shared.run('power', 'b')).toBe('none');
  });

  it('does not stop a plugin for other tenants when it crashes for one', async () => {
    const { run } = await start(
      { spy: 'tenant' },
      { limits: { maxCrashes: 1, memoryMb: 32, quarantineMs: 60_000 } },
    );
    expect(await run('crash', 'a')).toBe('GUEST_OUT_OF_MEMORY');
    expect(await run('look', 'a')).toBe('QUARANTINED');
    expect(await run('look', 'b')).toEqual([]);
    expect(await run('look')).toEqual([]);
  });

  it('ends the guest that was idle for longest if tenants need more than maxGuests', async () => {
    const { run, engine } = await start({ spy: 'tenant' }, { limits: { maxGuests: 2 } });
    let open = 0;
    let most = 0;
    engine.on((event) => {
      if (event.type === 'guest-started') open += 1;
      if (event.type === 'guest-ended') open -= 1;
      most = Math.max(most, open);
    });
    for (const tenant of ['a', 'b', 'c', 'd', 'e']) {
      expect(await run('leave', tenant)).toEqual(of(tenant, ALL));
    }
    // The memory is lost with the guest, the files are not.
    expect(await run('look', 'a')).toEqual(['scratch of-a', 'storage of-a']);
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((tenant) => run('slow', tenant));
    expect(await Promise.all(many)).toEqual([1, 1, 1, 1, 1, 1]);
    // The place of a killed guest is free a moment before the guest has ended.
    expect(most).toBeLessThanOrEqual(4);
    await expect.poll(() => open, { timeout: 5_000 }).toBeLessThanOrEqual(2);
  }, 60_000);

  it('adds replicas for one tenant alone', async () => {
    const { run, pids } = await start({ spy: 'tenant' }, { replicas: { spy: { max: 2 } } });
    await run('leave', 'b');
    const before = pids().length;
    for (let round = 0; round < 20 && pids().length < before + 2; round += 1) {
      await Promise.all(Array.from({ length: 4 }, () => run('slow', 'a')));
    }
    expect(pids()).toHaveLength(before + 2);
    expect(await Promise.all([run('look', 'a'), run('look', 'a')])).toEqual([[], []]);
  }, 60_000);

  it('applies a revocation to the guests of all tenants, and ends them with the plugin', async () => {
    const { run, engine } = await start({ spy: 'tenant' });
    await run('leave', 'a');
    await run('leave', 'b');
    await engine.revoke('spy', 'storage');
    const inMemory = (tenant: string): readonly string[] => of(tenant, IN_MEMORY);
    expect([await run('look', 'a'), await run('look', 'b')]).toEqual([
      inMemory('a'),
      inMemory('b'),
    ]);
    const hanging = run('hang', 'a');
    const ended: string[] = [];
    engine.on((event) => event.type === 'guest-ended' && ended.push(event.cause));
    await engine.setEnabled('spy', false);
    expect(await hanging).toBe('PLUGIN_INACTIVE');
    await expect.poll(() => ended.filter((cause) => cause === 'closed').length).toBeGreaterThan(1);
  });

  it('runs hooks in the guest of their tenant', async () => {
    const hook = `let last = 'nothing';
      export default async (context) => { const before = last; last = context.conversationId;
        context.systemPrompt = before; };`;
    const hooks = { 'pre-model-call': hook };
    const engine = await startEngine([makeVellum({ name: 'memo', hooks })], {
      isolation: { memo: 'tenant' },
    });
    const submit = async (conversationId: string, tenant?: string): Promise<unknown> => {
      const { context } = await engine.hooks.run(
        'pre-model-call',
        { conversationId },
        tenant === undefined ? {} : { tenant },
      );
      return context['systemPrompt'];
    };
    expect(await submit('one', 'a')).toBe('nothing');
    expect(await submit('two', 'b')).toBe('nothing');
    expect(await submit('three')).toBe('nothing');
    expect(await submit('four', 'a')).toBe('one');
  });
});

describe('isolation by call', () => {
  it('gives each call a fresh guest, and the files of its tenant', async () => {
    const { run, pids, engine } = await start({ spy: 'call' });
    const before = pids().length;
    expect(await run('leave', 'a')).toEqual(of('a', ALL));
    expect(await run('look', 'a')).toEqual(['scratch of-a', 'storage of-a']);
    expect(await run('look', 'b')).toEqual([]);
    expect(await run('look')).toEqual([]);
    expect(await Promise.all([run('slow', 'a'), run('slow', 'a')])).toEqual([1, 1]);
    expect(pids()).toHaveLength(before + 6);
    expect(new Set(pids()).size).toBe(pids().length);
    expect(engine.plugins()[0]).toMatchObject({ isolation: 'call' });
  });

  it('ends the guest of a call with the call, also if it was given up', async () => {
    const { run, engine } = await start({ spy: 'call' });
    let open = 0;
    engine.on((event) => {
      if (event.type === 'guest-started') open += 1;
      if (event.type === 'guest-ended') open -= 1;
    });
    expect(await run('hang', 'a', { timeoutMs: 50 })).toBe('DEADLINE_EXCEEDED');
    await run('look', 'a');
    await expect.poll(() => open, { timeout: 5_000 }).toBe(0);
  });
});

it('a call with a guest of its own ends when its plugin is disabled', async () => {
  const { run, engine } = await start({ spy: 'call' });
  const hanging = run('hang', 'a');
  const trying = run('hang', 'a', { dryRun: true });
  await new Promise<void>((resolve) => {
    let calls = 0;
    engine.on(({ type }) => {
      if (type === 'plugin-loaded') calls += 1;
      if (calls === 2) resolve();
    });
  });
  await engine.setEnabled('spy', false);
  expect(await Promise.all([hanging, trying])).toEqual(['PLUGIN_INACTIVE', 'PLUGIN_INACTIVE']);
});

describe('isolation that cannot be kept', () => {
  it.each([
    [{ isolation: { spy: 'tenant' }, trustGroups: { g: ['spy'] } }, /trust group/],
    [{ isolation: { spy: 'call' }, background: ['spy'] }, /background/],
    [{ isolation: { spy: 'tenant' }, hostMode: ['spy'] }, /hostMode/],
    [{ isolation: { spy: 'call' }, replicas: { spy: { max: 2 } } }, /isolation of spy/],
    [{ isolation: { spy: 'user' } }, /one of plugin, tenant, call/],
    [{ isolation: 'tenant' }, /by plugin id/],
  ])('is refused: %j', async (options, message) => {
    // @ts-expect-error some of these options are not options
    await expect(start(undefined, options)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(message),
    });
  });

  it('deactivates an extension that registers at run time', async () => {
    const engine = await startEngine([makeExtension({})], { isolation: { sample: 'tenant' } });
    expect(engine.plugins()[0]).toMatchObject({
      state: 'inactive',
      problems: [{ message: expect.stringContaining('registers at run time') }],
    });
  });

  it('deactivates a plugin that the manifest declares unconfined', async () => {
    const plugin = makePlugin({ tools: { run: '() => 1' }, entry: { sandbox: 'host' } });
    const engine = await startEngine([plugin], { isolation: { sample: 'call' } });
    expect(engine.plugins()[0]).toMatchObject({
      state: 'inactive',
      problems: [{ message: expect.stringContaining('runs unconfined') }],
    });
  });

  it('makes mounts read-only', async () => {
    const directory = makeDirectory();
    const grant = { mounted: { fs: [`${directory}:rw`] } };
    const options = { grant, storageDirectory: makeDirectory() };
    const plugin = makeVellum({ name: 'mounted', hooks: { stop: 'export default () => {}' } });
    const granted = async (more: Partial<EngineOptions>): Promise<unknown> =>
      (await startEngine([plugin], { ...options, ...more })).plugins()[0]?.entries[0]?.effective.fs;
    expect(await granted({})).toEqual([`${directory}:rw`]);
    expect(await granted({ isolation: { mounted: 'tenant' } })).toEqual([directory]);
  });
});
