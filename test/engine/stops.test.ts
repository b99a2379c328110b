import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStops } from '../../src/engine/node/open-stops.js';
import type { BulkheadEvent, CallResult, Engine } from '../../src/index.js';
import { serveTools, weather } from '../remotes/vertesia/server.js';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const ANN = { by: 'ann' };

/** `hang` never settles; `echo` does; `ask` needs approval. */
function plugin(id: string): string {
  const hints = `annotations: { readOnlyHint: true }`;
  return makePlugin({
    id,
    source: `export const tools = [
      { id: 'echo', name: 'n', description: 'd', ${hints}, execute: (input) => input },
      { id: 'hang', name: 'n', description: 'd', ${hints}, execute: () => new Promise(() => {}) },
      { id: 'ask', name: 'n', description: 'd', ${hints}, requireApproval: true, execute: (input) => input },
    ];`,
    manifest: {},
  });
}

/** Begins a call, and resolves when it runs. */
function begin(
  engine: Engine,
  tool: string,
  tenant?: string,
): Promise<{ ended: Promise<CallResult> }> {
  return new Promise((resolve) => {
    const stop = engine.on(({ type }) => {
      if (type !== 'call-started') return;
      stop();
      setImmediate(() => resolve({ ended }));
    });
    const ended = engine.call(tool, {}, tenant === undefined ? {} : { tenant });
  });
}

describe('a stop', () => {
  let engine: Engine;
  let storageDirectory = '';
  const events: BulkheadEvent[] = [];
  const ofStops = (): BulkheadEvent[] =>
    events.splice(0).filter(({ type }) => type === 'work-stopped' || type === 'work-resumed');

  beforeAll(async () => {
    storageDirectory = makeDirectory();
    engine = await startEngine([plugin('one'), plugin('two')], {
      storageDirectory,
      programs: true,
      isolation: { two: 'tenant' },
      config: { one: { requireApproval: { ask: true } } },
      limits: { maxCallsPerPlugin: 2 },
      onEvent: (event) => void events.push(event),
    });
    engine.approvals.on('request', () => {});
  });

  it('of a plugin ends its running and queued calls, kills its guest, and refuses new calls', async () => {
    const running = await begin(engine, 'one:hang');
    const others = [engine.call('one:hang', {}), engine.call('one:hang', {})];
    const asking = engine.call('one:ask', { n: 1 });
    await expect.poll(() => engine.approvals.list().length).toBe(1);
    const unused = await engine.approvals.request('one:ask', { n: 2 });
    await engine.approvals.answer(unused, { verdict: 'once', by: 'ann' });
    const elsewhere = await begin(engine, 'two:hang');
    events.length = 0;

    await engine.stops.stop({ plugin: 'one' }, { ...ANN, reason: 'it writes at night' });

    for (const call of [running.ended, asking, ...others]) {
      expect(await call).toMatchObject({ isError: true, code: 'STOPPED' });
    }
    expect(events.filter(({ type }) => type === 'guest-ended')).toEqual([]);
    await expect
      .poll(() => events.filter(({ type }) => type === 'guest-ended'))
      .toMatchObject([{ plugin: 'one', cause: 'stopped' }]);
    expect(ofStops()).toMatchObject([
      {
        type: 'work-stopped',
        stopped: 'plugin',
        plugin: 'one',
        by: 'ann',
        reason: 'it writes at night',
      },
    ]);
    expect(engine.approvals.list()).toEqual([]);
    expect(engine.approvals.get(unused)).toMatchObject({ state: 'withdrawn' });

    const refused = await engine.call('one:echo', {});
    expect(refused).toMatchObject({ code: 'STOPPED' });
    expect(refused.content[0]?.text).toContain('bulkhead resume one');
    expect(engine.previewCall('one:echo', {})).toMatchObject({ verdict: 'deny' });
    await expect(engine.approvals.request('one:ask', {})).rejects.toMatchObject({
      code: 'STOPPED',
    });
    expect(engine.availableTools({}).some(({ plugin: of }) => of === 'one')).toBe(false);
    // The other plugin is not touched.
    expect((await engine.call('two:echo', {})).isError).toBe(false);
    await engine.stops.stop({ plugin: 'two' }, ANN);
    expect(await elsewhere.ended).toMatchObject({ code: 'STOPPED' });

    expect(await engine.stops.resume({ plugin: 'one' }, ANN)).toBe(true);
    expect(await engine.stops.resume({ plugin: 'one' }, ANN)).toBe(false);
    expect(await engine.stops.resume({ plugin: 'two' }, ANN)).toBe(true);
    expect(await engine.call('one:echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
    // A withdrawn approval stays withdrawn.
    expect(await engine.call('one:ask', { n: 2 }, { approval: unused })).toMatchObject({
      code: 'APPROVAL_INVALID',
    });
  });

  it('is stored before it acts', async () => {
    const file = (): string[] => readdirSync(join(storageDirectory, '.stops'));
    const call = await begin(engine, 'one:hang');
    let stored: readonly string[] = [];
    const ended = call.ended.then((result) => {
      stored = file();
      return result;
    });
    const seen: string[][] = [];
    const off = engine.on(({ type }) => void (type === 'work-stopped' && seen.push(file())));
    await engine.stops.stop({ plugin: 'one' }, ANN);
    expect(await ended).toMatchObject({ code: 'STOPPED' });
    off();
    expect([stored.length, seen.map(({ length }) => length)]).toEqual([1, [1]]);
    await engine.stops.resume({ plugin: 'one' }, ANN);
  });

  it('of everything ends calls on remote servers, in host mode and of programs that wait', async () => {
    const server = await serveTools({ tools: [weather] }, () => 'hang');
    const native = makePlugin({
      id: 'native',
      entry: { sandbox: 'host' },
      tools: { hang: '() => new Promise(() => {})' },
    });
    const storage = makeDirectory();
    const all = await startEngine([plugin('three'), native], {
      storageDirectory: storage,
      hostMode: ['native'],
      programs: true,
      remotes: [{ vertesia: server.url, id: 'crm', allowPrivate: true }],
      config: { three: { requireApproval: { ask: true } } },
      tolerance: 'full',
    });
    all.approvals.on('request', () => {});
    const remote = await begin(all, 'crm:weather');
    await expect.poll(() => server.posts().length).toBe(1);
    const unconfined = await begin(all, 'native:hang');
    const program = all.runProgram('return await tools.three.ask({ n: 1 });', { tenant: 'acme' });
    await expect.poll(() => all.programs.list()[0]?.state).toBe('parked');
    expect(all.approvals.list()).toHaveLength(1);

    await all.stops.stop({ everything: true }, ANN);

    expect(await remote.ended).toMatchObject({ isError: true, code: 'STOPPED' });
    expect(await unconfined.ended).toMatchObject({ isError: true, code: 'STOPPED' });
    expect(await program).toMatchObject({ isError: true, code: 'STOPPED' });
    expect(all.approvals.list()).toEqual([]);
    for (const name of ['crm:weather', 'native:hang', 'three:echo']) {
      expect(await all.call(name, {})).toMatchObject({ code: 'STOPPED' });
    }
    expect(server.posts()).toHaveLength(1);
    // The next host runs nothing of it either.
    await all.close();
    const next = await startEngine([plugin('three')], {
      storageDirectory: storage,
      programs: true,
    });
    expect(await next.call('three:echo', {})).toMatchObject({ code: 'STOPPED' });
    await expect(next.runProgram('return 1', { tenant: 'acme' })).rejects.toMatchObject({
      code: 'STOPPED',
    });
  });

  it('of a tenant ends only what runs for that tenant, its programs and its guests', async () => {
    const [mine, shared, theirs] = [
      await begin(engine, 'two:hang', 'acme'),
      await begin(engine, 'one:hang', 'acme'),
      await begin(engine, 'two:hang', 'other'),
    ];
    const program = engine.runProgram(
      'await tools.two.hang({}).catch(() => {}); return await new Promise(() => {});',
      { tenant: 'acme' },
    );
    await expect
      .poll(() => engine.programs.list({ tenant: 'acme' })[0]?.calls[0]?.state)
      .toBe('running');
    events.length = 0;
    await engine.stops.stop({ tenant: 'acme' }, ANN);
    expect(await mine.ended).toMatchObject({ code: 'STOPPED' });
    expect(await shared.ended).toMatchObject({ code: 'STOPPED' });
    expect(await program).toMatchObject({ isError: true, code: 'STOPPED' });
    expect(await engine.call('one:echo', {}, { tenant: 'acme' })).toMatchObject({
      code: 'STOPPED',
    });
    await expect(engine.runProgram('return 1', { tenant: 'acme' })).rejects.toMatchObject({
      code: 'STOPPED',
    });
    await expect(
      engine.hooks.run('user-prompt-submit', { userMessage: 'hi' }, { tenant: 'acme' }),
    ).rejects.toMatchObject({ code: 'STOPPED' });
    await expect
      .poll(() => events.filter(({ type }) => type === 'guest-ended'))
      .toContainEqual(expect.objectContaining({ plugin: 'two', cause: 'stopped' }));
    expect((await engine.call('two:echo', {}, { tenant: 'other' })).isError).toBe(false);
    expect((await engine.call('one:echo', {})).isError).toBe(false);
    await engine.stops.resume({ tenant: 'acme' }, ANN);
    expect((await engine.call('two:echo', {}, { tenant: 'acme' })).isError).toBe(false);
    await engine.stops.stop({ tenant: 'other' }, ANN);
    expect(await theirs.ended).toMatchObject({ code: 'STOPPED' });
    await engine.stops.resume({ tenant: 'other' }, ANN);
  });

  it('of another process holds within a second, and so does its end', async () => {
    const call = await begin(engine, 'one:hang');
    const switches = openStops(storageDirectory);
    await switches.stop({ everything: true }, { by: 'the terminal' });
    expect(await call.ended).toMatchObject({ code: 'STOPPED' });
    expect(await engine.call('two:echo', {})).toMatchObject({ code: 'STOPPED' });
    expect(engine.stops.list()).toMatchObject([
      { target: { everything: true }, by: 'the terminal' },
    ]);
    expect(await switches.resume({ everything: true }, ANN)).toBe(true);
    await expect.poll(() => engine.stops.list()).toEqual([]);
    expect((await engine.call('two:echo', {})).isError).toBe(false);
  });

  it('holds after a restart of the host, starts no guest, and lets plugins load when it is removed', async () => {
    const directory = makeDirectory();
    await openStops(directory).stop({ everything: true }, { by: 'ann', reason: 'an incident' });
    const file = join(directory, '.stops', 'everything.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const seen: BulkheadEvent[] = [];
    const next = await startEngine([plugin('fresh')], {
      storageDirectory: directory,
      // Nothing is known of its tools yet.
      cacheDirectory: makeDirectory(),
      onEvent: (event) => void seen.push(event),
    });
    expect(seen.map(({ type }) => type)).toContain('work-stopped');
    expect(seen.map(({ type }) => type)).not.toContain('guest-started');
    await expect(next.call('fresh:echo', {})).rejects.toMatchObject({ code: 'STOPPED' });
    await next.stops.resume({ everything: true }, ANN);
    await expect
      .poll(() => next.plugins().map(({ state, tools }) => `${state} ${tools.length}`))
      .toEqual(['active 3']);
    expect(await next.call('fresh:echo', { n: 1 })).toMatchObject({ value: { n: 1 } });
  });

  it('counts as one of everything if its file cannot be read', async () => {
    const directory = makeDirectory();
    mkdirSync(join(directory, '.stops'));
    writeFileSync(join(directory, '.stops', `plugin-${'0'.repeat(64)}.json`), '{"target":');
    await startEngine([plugin('third')]);
    const next = await startEngine([plugin('third')], { storageDirectory: directory });
    expect(next.previewCall('third:echo', {})).toMatchObject({ verdict: 'deny' });
    expect(await next.call('third:echo', {})).toMatchObject({ code: 'STOPPED' });
    expect(next.stops.list()).toMatchObject([
      { target: { everything: true }, reason: expect.stringContaining('cannot be read') },
    ]);
    expect(readdirSync(join(directory, '.stops'))).toHaveLength(1);
  });

  it('needs a name, and holds in this process if it cannot be stored', async () => {
    await expect(engine.stops.stop({ plugin: 'one' }, { by: ' ' })).rejects.toThrow('needs `by`');
    const directory = makeDirectory();
    writeFileSync(join(directory, '.stops'), 'a file in the way');
    chmodSync(join(directory, '.stops'), 0o600);
    const next = await startEngine([plugin('fourth')], { storageDirectory: directory });
    // What cannot be listed may hold a stop.
    expect(next.stops.list()).toMatchObject([{ target: { everything: true } }]);
    await expect(next.stops.stop({ plugin: 'fourth' }, ANN)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    });
    expect(next.stops.list()).toHaveLength(2);
  });
});
