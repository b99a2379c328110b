import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine } from '../../../src/index.js';
import { serve } from '../../escape/servers.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

const uses: Readonly<Record<string, string>> = {
  time: '() => typeof Date.now()',
  random: '() => typeof Math.random()',
  network: 'async ({ host = "api.example.com" }) => (await fetch("http://" + host + "/")).status',
  fs: 'async () => (await readFile("index.ts")).length > 0',
  env: '(input, { env: variables }) => [env.get("KEY") ?? null, variables.KEY ?? null]',
};

const declared = {
  time: true,
  random: true,
  network: ['api.example.com', 'other.example.com'],
  fs: ['.'],
  env: ['KEY'],
};

async function start(grant: object | 'declared' | 'nothing') {
  const site = await serve((_request, response) => response.end('ok'));
  const events: BulkheadEvent[] = [];
  const engine = await startEngine(
    [
      makePlugin({ id: 'p', permissions: declared, tools: uses }),
      makePlugin({
        id: 'bystander',
        permissions: { time: true },
        tools: { ask: uses['time'] ?? '' },
      }),
    ],
    {
      grant: (plugin) => (plugin.id === 'p' ? grant : 'declared'),
      env: { KEY: 'v' },
      network: {
        overrides: ['api.example.com', 'other.example.com'].map((host) => ({
          host,
          url: site.url,
        })),
      },
      onEvent: (event) => events.push(event),
    },
  );
  return { engine, events };
}

async function outcomes(engine: Engine): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const name of Object.keys(uses)) {
    const { code, value } = await engine.call(`p:${name}`, {});
    all[name] = code ?? value;
  }
  return all;
}

const ALL = ['time', 'random', 'network', 'fs', 'env'];
const working = {
  time: 'number',
  random: 'number',
  network: 200,
  fs: true,
  env: ['v', 'v'],
};

describe('permissions of a plugin that runs', () => {
  it('are there from the next use on when they are granted, without another guest', async () => {
    const { engine, events } = await start('nothing');
    expect(await outcomes(engine)).toEqual({
      time: 'TIME_DENIED',
      random: 'RANDOM_DENIED',
      network: 'NETWORK_DENIED',
      fs: 'FILESYSTEM_DENIED',
      env: 'ENVIRONMENT_DENIED',
    });
    const guests = (): number =>
      events.filter((event) => event.type === 'guest-started' && event.plugin === 'p').length;
    const before = guests();
    await engine.grant('p', ...ALL);
    expect(await outcomes(engine)).toEqual(working);
    expect(guests()).toBe(before);
  });

  it('are removed when they are revoked, and return when they are granted again', async () => {
    const { engine } = await start('declared');
    expect(await outcomes(engine)).toEqual(working);
    await engine.revoke('p', ...ALL);
    const gone = await outcomes(engine);
    expect(gone).toMatchObject({
      time: 'PERMISSION_REVOKED',
      random: 'PERMISSION_REVOKED',
      network: 'PERMISSION_REVOKED',
      fs: 'PERMISSION_REVOKED',
    });
    expect(gone['env']).toBe('PERMISSION_REVOKED');
    await engine.grant('p', ...ALL);
    expect(await outcomes(engine)).toEqual(working);
  });

  it('are shown in the status and in an event, and belong to one plugin only', async () => {
    const { engine, events } = await start('declared');
    await engine.revoke('p', 'time', 'network:other.example.com');
    const status = engine.plugins().find(({ id }) => id === 'p');
    expect(status?.entries[0]?.effective).toMatchObject({
      time: false,
      random: true,
      network: ['api.example.com'],
    });
    expect(events.filter(({ type }) => type === 'permission-changed')).toMatchObject([
      {
        plugin: 'p',
        change: 'revoked',
        permissions: ['time', 'network:other.example.com'],
        effective: { tools: { time: false, network: ['api.example.com'] } },
      },
    ]);
    expect((await engine.call('bystander:ask', {})).value).toBe('number');
    expect((await engine.call('p:network', {})).value).toBe(200);
    expect((await engine.call('p:network', { host: 'other.example.com' })).code).toBe(
      'NETWORK_DENIED',
    );
  });

  it('stay as they were changed when the plugins are read again', async () => {
    const { engine } = await start('declared');
    await engine.revoke('p', 'time');
    await engine.reload();
    expect((await engine.call('p:time', {})).code).toBe('TIME_DENIED');
    await engine.grant('p', 'time');
    await engine.reload();
    expect((await engine.call('p:time', {})).value).toBe('number');
  });

  it('are refused if they are undeclared or name an unknown plugin', async () => {
    const { engine } = await start('nothing');
    await expect(engine.grant('p', 'network:evil.example.com')).rejects.toMatchObject({
      code: 'INVALID_PERMISSION',
      message: expect.stringContaining('pandora.manifest.json'),
    });
    await expect(engine.grant('bystander', 'network')).rejects.toMatchObject({
      code: 'INVALID_PERMISSION',
    });
    await expect(engine.grant('p', 'nonsense')).rejects.toMatchObject({
      code: 'INVALID_PERMISSION',
    });
    await expect(engine.revoke('bystandr', 'time')).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('bystander'),
    });
    await engine.close();
    await expect(engine.grant('p', 'time')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
  });

  it('let a plugin load that could not without them', async () => {
    const engine = await startEngine(
      [
        makePlugin({
          id: 'clock',
          permissions: { time: true },
          source:
            'const at = Date.now(); export const tools = [{ id: "at", name: "n", description: "d", execute: () => typeof at }]',
        }),
      ],
      { grant: 'nothing' },
    );
    expect(engine.plugins()[0]?.state).toBe('failed');
    await engine.grant('clock', 'time');
    expect(engine.plugins()[0]?.state).toBe('active');
    expect((await engine.call('clock:at', {})).value).toBe('number');
  });

  it('change what a plugin offers that makes its tools out of what it holds', async () => {
    const engine = await startEngine(
      [
        makePlugin({
          id: 'maker',
          permissions: { env: ['NAME'] },
          source: `export const tools = [];
            export const resolveTools = ({ env }) => ({ tools: env.NAME === undefined ? [] : [{
              id: env.NAME, name: 'n', description: 'd', parameters: { type: 'object' }, execute: () => 'made' }] });`,
        }),
      ],
      { grant: 'nothing', env: { NAME: 'greet' } },
    );
    expect(engine.catalog.list()).toEqual([]);
    await engine.grant('maker', 'env:NAME');
    expect((await engine.call('maker:greet', {})).value).toBe('made');
  });

  it('separate a tool that requests less from one that gets more', async () => {
    const source = `let kept = 'nothing';
      const tool = (id, more, execute) => ({ id, name: id, description: id, parameters: { type: 'object' }, ...more, execute });
      export const tools = [
        tool('plain', { permissions: {} }, async () => { try { kept = 'the clock'; return typeof Date.now() } catch (e) { return e.code } }),
        tool('timed', {}, () => [typeof Date.now(), kept]),
      ];`;
    const engine = await startEngine(
      [makePlugin({ id: 'two', permissions: { time: true }, source })],
      { grant: 'nothing' },
    );
    expect((await engine.call('two:plain', {})).value).toBe('TIME_DENIED');
    await engine.grant('two', 'time');
    expect((await engine.call('two:plain', {})).value).toBe('TIME_DENIED');
    expect((await engine.call('two:timed', {})).value).toEqual(['number', 'nothing']);
  });

  it('do not come back by more than what is granted again', async () => {
    const engine = await startEngine(
      [makePlugin({ id: 'w', permissions: { network: ['*.example.com'] }, tools: uses })],
      { grant: 'declared' },
    );
    const held = (): unknown => engine.plugins()[0]?.entries[0]?.effective.network;
    await engine.revoke('w', 'network:a.example.com');
    expect(held()).toEqual([]);
    await engine.grant('w', 'network:a.example.com');
    expect(held()).toEqual(['a.example.com']);
    await engine.grant('w', 'network');
    expect(held()).toEqual(['*.example.com']);
  });
});
