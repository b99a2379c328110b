import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCallTracker } from '../../../src/engine/instance/in-flight.js';
import { makeDryRun } from '../../../src/engine/instance/dry-run-mode.js';
import type { BulkheadEvent, RiskBand } from '../../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const reached: string[] = [];
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.end('{"id":7}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const directory = makePlugin({
  id: 'net',
  permissions: { network: ['api.test'], storage: true },
  entry: { requireApproval: true },
  source: `
    let count = 0;
    const send = (method, path, body) => fetch('http://api.test' + path, { method, body });
    export const tools = [{ id: 'sync', name: 'n', description: 'd', annotations: { readOnlyHint: false },
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
      execute: async ({ n }) => {
        count += 1;
        const { id } = await (await send('GET', '/item')).json();
        const sent = await Promise.allSettled([
          send('PUT', '/item/' + id, 'x'.repeat(10) + n), send('DELETE', '/item/8')]);
        return { id, count, sent: sent.map(({ status, value, reason }) => status + ' ' + (value?.status ?? reason?.code)) };
      } }];`,
});

it('a dry run reads, and what it would change is stopped and listed', async () => {
  let asked = 0;
  const events: BulkheadEvent[] = [];
  const engine = await startEngine([directory], {
    network: { overrides: [{ host: 'api.test', url }] },
    approve: () => {
      asked += 1;
      return 'once';
    },
    onEvent: (event) => events.push(event),
  });
  const unread = await engine.call('sync', { n: 1 }, { dryRun: true });
  expect(events.find(({ type }) => type === 'call-started')).toMatchObject({ mode: 'dry-run' });
  expect(unread).toMatchObject({
    code: 'EFFECT_DENIED',
    dryRun: [{ permission: 'network', method: 'GET', url: 'http://api.test/item', reads: true }],
  });
  expect(unread.content[0]?.text).toContain('--effect "GET api.test"');
  expect(reached).toEqual([]);
  engine.rules.add({
    verdict: 'allow',
    plugin: 'net',
    tool: '*',
    bundle: '*',
    effect: { host: 'api.test', method: 'GET' },
  });
  const dry = await engine.call('sync', { n: 1 }, { dryRun: true });
  expect(dry).toMatchObject({
    isError: false,
    value: { id: 7, count: 1, sent: ['fulfilled 202', 'fulfilled 202'] },
    dryRun: expect.arrayContaining([
      expect.objectContaining({
        permission: 'network',
        method: 'PUT',
        url: 'http://api.test/item/7',
        body: 'xxxxxxxxxx1',
      }),
      expect.objectContaining({
        permission: 'network',
        method: 'DELETE',
        url: 'http://api.test/item/8',
      }),
    ]),
  });
  expect(reached).toEqual(['GET /item']);
  expect(asked).toBe(0);
  // Its guest was its own, and is gone: the real call finds nothing of it.
  const real = await engine.call('sync', { n: 1 });
  expect(real).toMatchObject({
    value: { count: 1, sent: ['fulfilled 200', 'fulfilled 200'] },
  });
  expect(real).not.toHaveProperty('dryRun');
  expect(asked).toBe(1);
  await expect
    .poll(() => events.filter(({ type }) => type === 'guest-ended').length)
    .toBeGreaterThanOrEqual(1);
});

it('a dry run reads what it wrote to its storage, and leaves no trace of it', async () => {
  const keeper = makePlugin({
    id: 'keeper',
    permissions: { storage: true },
    tools: {
      save: `async ({ text }) => {
        const before = await storage.read('notes/a.txt').catch(() => 'nothing');
        await storage.write('notes/a.txt', text);
        await storage.write('b.txt', text);
        return { before, after: await storage.read('notes/a.txt'), names: (await storage.list('')).length };
      }`,
    },
  });
  const storageDirectory = makeDirectory();
  const engine = await startEngine([keeper], { storageDirectory });
  expect((await engine.call('save', { text: 'one' })).value).toMatchObject({ before: 'nothing' });
  const { value, dryRun } = await engine.call('save', { text: 'two' }, { dryRun: true });
  expect(value).toEqual({ before: 'one', after: 'two', names: 2 });
  expect(dryRun).toEqual([
    { permission: 'storage', operation: 'write', path: expect.stringContaining('notes/a.txt') },
    { permission: 'storage', operation: 'write', path: expect.stringContaining('b.txt') },
  ]);
  expect((await engine.call('save', { text: 'three' })).value).toMatchObject({ before: 'one' });
  await expect.poll(() => readdirSync(join(storageDirectory, '.dry-runs'))).toEqual([]);
  expect(engine.files('keeper').list().length).toBe(2);
});

it('a dry run holds its input to the schema like any call', async () => {
  const engine = await startEngine([directory]);
  expect(await engine.call('sync', { n: 'one' }, { dryRun: true })).toMatchObject({
    code: 'INVALID_INPUT',
  });
});

describe('in a dry run', () => {
  const risks: Readonly<Record<string, RiskBand>> = { look: 'low', post: 'medium' };
  const trial = () => {
    const { mode, stopped } = makeDryRun((host) => host === 'cleared.test');
    const { check, outbound } = mode((path) => path.startsWith('/copied/'))({
      plugin: 'p',
      version: undefined,
      bundle: 'h',
      actsUncalled: false,
      calls: makeCallTracker(),
      terms: () => null,
      riskOfPower: (name) => risks[name],
    });
    const asked = { peer: {} as never, request: {} as never };
    return {
      stopped,
      check: (method: string, params: unknown) => check?.({ ...asked, method, params }),
      outbound: outbound?.(asked.peer),
    };
  };

  it.each([
    ['changeFile', { op: 'write', path: 'a' }],
    ['changeFile', { op: 'write', path: '/elsewhere/a' }],
    ['changeFile', { op: 'move', path: '/copied/a', to: '/elsewhere/a' }],
    ['changeFile', { op: 'move', path: '/copied/a' }],
    ['power', { name: 'post', arguments: {} }],
    ['power', { name: 'unknown', arguments: {} }],
  ])('%s %j is stopped and listed', (method, params) => {
    const { check, stopped } = trial();
    expect(() => check(method, params)).toThrow(expect.objectContaining({ code: 'EFFECT_DENIED' }));
    expect(stopped.length).toBe(1);
  });

  it.each([
    { op: 'write', path: '/copied/a' },
    { op: 'move', path: '/copied/a', to: '/copied/b' },
  ])('%j in a copied mount is listed, and is for the copy', (change) => {
    const { check, stopped } = trial();
    check('changeFile', change);
    expect(stopped).toEqual([{ permission: 'fs', operation: change.op, path: '/copied/a' }]);
  });

  it.each(['write', 'append', 'mkdir', 'delete', 'move', 'something new'])(
    '%s in the storage is listed, and is for the copy',
    (op) => {
      const { check, stopped } = trial();
      check('storage', { op, path: 'a' });
      expect(stopped).toEqual([{ permission: 'storage', operation: op, path: 'a' }]);
    },
  );

  it('a read goes to cleared hosts alone, and a header that stands for a method makes it a write', async () => {
    const { outbound, stopped } = trial();
    const leaving = { method: 'GET', headers: [], whole: true };
    const signal = new AbortController().signal;
    await outbound?.({ ...leaving, url: new URL('https://cleared.test/') }, signal);
    expect(stopped).toEqual([]);
    const others = [
      { ...leaving, url: new URL('https://sub.cleared.test/') },
      { ...leaving, url: new URL('https://cleared.test/'), headers: [['x-http-method', 'PUT']] },
    ] as const;
    for (const one of others) {
      await expect(outbound?.(one, signal)).rejects.toMatchObject({ code: 'EFFECT_DENIED' });
    }
    expect(stopped).toHaveLength(2);
  });

  it.each([
    ['storage', { op: 'read', path: 'a' }],
    ['storage', { op: 'list', path: 'a' }],
    ['storage', { op: 'stat', path: 'a' }],
    ['storage', { op: 'usage' }],
    ['power', { name: 'look', arguments: {} }],
    ['readFile', { path: 'a' }],
  ])('%s %j is done', (method, params) => {
    const { check, stopped } = trial();
    check(method, params);
    expect(stopped).toEqual([]);
  });

  it('a loop of changes is stopped in each, and the list of changes is limited', () => {
    const { check, stopped } = trial();
    for (let n = 0; n < 1_500; n += 1) {
      expect(() => check('power', { name: 'post' })).toThrow('This is a dry run');
    }
    expect(stopped.length).toBe(1_000);
  });
});

it('a tool that runs unconfined does not have a dry run', async () => {
  const engine = await startEngine(
    [makePlugin({ id: 'native', entry: { sandbox: 'host' }, tools: { run: '() => 1' } })],
    { hostMode: ['native'] },
  );
  expect(await engine.call('run', {}, { dryRun: true })).toMatchObject({
    code: 'POLICY_DENIED',
    content: [{ text: expect.stringContaining('no dry run') }],
  });
});
