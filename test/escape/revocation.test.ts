import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../src/index.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';
import { serve } from './servers.js';

/** Keeps all that it can get hold of while it holds everything, to use it later. */
const hoarder = `
  const kept = {};
  const use = async (name) => {
    try { return { got: await kept[name]() } } catch (e) { return { code: e.code ?? e.name } }
  };
  const tool = (id, execute) => ({ id, name: id, description: id, execute });
  export const tools = [
    tool('hoard', async () => {
      const { fetch: ask } = globalThis; const { now } = Date; const { random } = Math; const read = readFile; const { get } = env;
      const begun = await ask('http://api.example.com/drip');
      const reader = begun.body.getReader();
      await reader.read();
      const untouched = await ask('http://api.example.com/drip');
      const copied = untouched.clone();
      kept.fetch = async () => (await ask('http://api.example.com/')).status;
      kept.request = async () => (await ask(new Request('http://api.example.com/'))).status;
      kept.reader = () => reader.read().then(({ value }) => value.length);
      kept.body = () => untouched.text();
      kept.clone = () => copied.text();
      kept.now = () => now();
      kept.date = () => new Date().getTime();
      kept.elapsed = () => performance.now();
      kept.random = () => random();
      kept.read = () => read('index.ts');
      kept.variable = () => get('KEY') ?? Promise.reject(new Error('none'));
      return Object.keys(kept);
    }),
    tool('use all', async () => Object.fromEntries(await Promise.all(Object.keys(kept).map(async (name) => [name, await use(name)])))),
    tool('beats', () => { const seen = kept.beats ?? []; return seen; }),
    tool('beat', () => {
      kept.beats = [];
      setInterval(async () => { kept.beats.push(await use('fetch'), await use('now')) }, 5);
    }),
    tool('waits', async () => { try { return await (await fetch('http://api.example.com/never')).text() } catch (e) { return e.code } }),
    tool('loops', async () => { console.log('begins'); await null; await null; for (;;) ; }),
  ];`;

const permissions = {
  time: true,
  random: true,
  network: ['api.example.com'],
  fs: ['.'],
  env: ['KEY'],
};

async function start() {
  const open = new Set<ServerResponse>();
  const site = await serve((request, response) => {
    if (request.url === '/never') open.add(response);
    else if (request.url === '/drip') response.write('a first part');
    else response.end('ok');
    response.on('close', () => open.delete(response));
  });
  const events: BulkheadEvent[] = [];
  const engine = await startEngine([makePlugin({ id: 'hoarder', permissions, source: hoarder })], {
    env: { KEY: 'v' },
    background: ['hoarder'],
    network: { overrides: [{ host: 'api.example.com', url: site.url }] },
    onEvent: (event) => events.push(event),
  });
  return { engine, events, site, open };
}

const ALL = ['time', 'random', 'network', 'fs', 'env'];

describe('a plugin whose permissions are revoked while it runs', () => {
  it('gets nothing more from its stored references', async () => {
    const { engine, site } = await start();
    const names = (await engine.call('hoarder:hoard', {})).value as string[];
    const before = site.visits.length;
    await engine.revoke('hoarder', ...ALL);
    const outcome = (await engine.call('hoarder:use all', {})).value as Record<string, object>;
    expect(Object.keys(outcome)).toEqual(names);
    for (const [name, result] of Object.entries(outcome)) {
      expect([name, result]).toEqual([name, { code: 'PERMISSION_REVOKED' }]);
    }
    expect(site.visits).toHaveLength(before);
  });

  it('has its requests ended that are under way, on both sides', async () => {
    const { engine, open } = await start();
    const waiting = engine.call('hoarder:waits', {});
    await expect.poll(() => open.size).toBe(1);
    await engine.revoke('hoarder', 'network');
    expect((await waiting).value).toBe('PERMISSION_REVOKED');
    await expect.poll(() => open.size).toBe(0);
  });

  it('goes on in its timers without them', async () => {
    const { engine } = await start();
    await engine.call('hoarder:hoard', {});
    await engine.call('hoarder:beat', {});
    const beats = async (): Promise<unknown[]> =>
      (await engine.call('hoarder:beats', {})).value as unknown[];
    await expect.poll(async () => (await beats()).length).toBeGreaterThan(2);
    await engine.revoke('hoarder', ...ALL);
    const sofar = (await beats()).length;
    await expect.poll(async () => (await beats()).length).toBeGreaterThan(sofar + 4);
    const after = (await beats()).slice(sofar + 2);
    for (const beat of after) expect(beat).toEqual({ code: 'PERMISSION_REVOKED' });
  });

  it('is ended if it never looks up from what it does', async () => {
    const { engine, events } = await start();
    const looping = engine.call('hoarder:loops', {});
    await expect.poll(() => events.some(({ type }) => type === 'log')).toBe(true);
    await engine.revoke('hoarder', 'time');
    expect((await looping).code).toBe('GUEST_KILLED');
    const ends = () =>
      events.flatMap((event) => (event.type === 'guest-ended' ? [event.cause] : []));
    await expect.poll(ends).toEqual(['revoked']);
    expect((await engine.call('hoarder:waits', {}, { timeoutMs: 200 })).code).toBe(
      'DEADLINE_EXCEEDED',
    );
  });

  it('is refused by the host before its own guest has heard of it', async () => {
    const { engine, site } = await start();
    await engine.call('hoarder:hoard', {});
    const before = site.visits.length;
    const revoked = engine.revoke('hoarder', 'network');
    const call = engine.call('hoarder:use all', {});
    await revoked;
    const outcome = (await call).value as Record<string, object>;
    expect(outcome['fetch']).toEqual({ code: 'PERMISSION_REVOKED' });
    expect(site.visits).toHaveLength(before);
  });

  it('has lost them while it is still being read', async () => {
    const site = await serve((_request, response) => response.end('ok'));
    const reading = `export const tools = [];
      const seen = [];
      export const resolveTools = async () => {
        for (let n = 0; n < 60; n += 1) {
          try { seen.push((await fetch('http://api.example.com/')).status) } catch (e) { seen.push(e.code) }
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return { tools: [{ id: 'seen', name: 's', description: 's', parameters: { type: 'object' }, execute: () => seen }] };
      };`;
    const directory = makePlugin({ id: 'reader', permissions, source: 'export const tools = [];' });
    const engine = await startEngine([directory], {
      network: { overrides: [{ host: 'api.example.com', url: site.url }] },
    });
    makePlugin({ id: 'reader', permissions, source: reading }, directory);
    const reloading = engine.reload();
    await expect.poll(() => site.visits.length, { timeout: 10_000 }).toBeGreaterThan(2);
    await engine.revoke('reader', 'network');
    await reloading;
    const seen = (await engine.call('reader:seen', {})).value as unknown[];
    expect(seen[0]).toBe(200);
    expect(seen.at(-1)).toBe('PERMISSION_REVOKED');
    expect(engine.plugins()[0]?.entries[0]?.effective.network).toEqual([]);
  });

  it('has lost them in a rehearsal as well', async () => {
    const watching = `async () => {
      for (;;) {
        try { Date.now() } catch (e) { return e.code }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }`;
    const events: BulkheadEvent[] = [];
    const engine = await startEngine(
      [makePlugin({ id: 'watcher', permissions, tools: { watch: watching } })],
      { onEvent: (event) => events.push(event) },
    );
    const rehearsing = engine.call('watcher:watch', {}, { dryRun: true });
    const loads = () => events.filter(({ type }) => type === 'plugin-loaded').length;
    await expect.poll(loads, { timeout: 10_000 }).toBeGreaterThan(1);
    await engine.revoke('watcher', 'time');
    expect((await rehearsing).value).toBe('PERMISSION_REVOKED');
  });
});
