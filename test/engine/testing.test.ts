import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  assertAsks,
  assertDenies,
  loadPlugin,
  matchers,
  type TestedPlugin,
} from '../../src/entry-points/testing.js';
import { makePlugin } from './plugin-on-disk.js';

const HOST = 'https://api.example.com';
const SOURCE = `
const tool = (id, execute, more = {}) => ({ id, name: id, description: 'd', execute, ...more });
export const tools = [
  tool('weather', async ({ city }) => {
    const response = await fetch('${HOST}/weather?city=' + city, { headers: { 'x-key': env.get('KEY') } });
    return { status: response.status, ...(await response.json()) };
  }),
  tool('send', async ({ text }) =>
    (await fetch('${HOST}/notes', { method: 'POST', body: text })).status),
  tool('elsewhere', () => fetch('https://other.example/').then(() => 'sent', (error) => error.message)),
  tool('follow', async () => {
    const response = await fetch('${HOST}/old');
    return response.url + ' ' + await response.text();
  }),
  tool('unknown', () => fetch('${HOST}/unknown').then(() => 'sent', () => 'the error was caught')),
  tool('now', () => new Date().toISOString()),
  tool('count', async () => {
    const before = Number(await storage.read('count.txt'));
    await storage.write('count.txt', String(before + 1));
    return before;
  }),
  tool('wipe', () => 'wiped'),
];
`;
const PERMISSIONS = { network: ['api.example.com'], env: ['KEY'], time: true, storage: true };

expect.extend(matchers);

describe('a plugin under test', () => {
  const directory = makePlugin({ id: 'sample', source: SOURCE, permissions: PERMISSIONS });
  let plugin: TestedPlugin;
  beforeAll(async () => {
    plugin = await loadPlugin(directory, {
      fetch: {
        [`GET ${HOST}/weather?city=Oslo`]: { degrees: 7 },
        [`GET ${HOST}/weather`]: () => new Response('{"degrees":0}', { status: 203 }),
        [`POST ${HOST}/n*`]: new Response(null, { status: 201 }),
        [`${HOST}/old`]: () => Response.redirect(`${HOST}/new`, 302),
        [`${HOST}/new`]: () => new Response('moved'),
      },
      env: { KEY: 'k', OTHER: 'o' },
      clock: '2030-02-03T04:05:00Z',
      storage: { 'count.txt': '41' },
      config: { requireApproval: { wipe: true } },
    });
  });
  afterAll(() => plugin.close());

  it('gets the answers of its mocked hosts, and no other', async () => {
    const called = await plugin.call('weather', { city: 'Oslo' });
    expect(called).toMatchObject({ isError: false, value: { status: 200, degrees: 7 }, asked: [] });
    expect(called.text).toContain('7');
    expect(called.sent).toMatchObject([
      { method: 'GET', url: `${HOST}/weather?city=Oslo`, headers: { 'x-key': 'k' } },
    ]);
    expect((await plugin.call('weather', { city: 'Rome' })).value).toEqual({
      status: 203,
      degrees: 0,
    });
    const failed = plugin.call('unknown');
    await expect(failed).rejects.toThrow(`no mock answers: GET ${HOST}/unknown. Add it`);
  });

  it('sends bodies, and follows redirects within its grant', async () => {
    const { value, sent } = await plugin.call('send', { text: 'hello' });
    expect([value, sent[0]?.body]).toEqual([201, 'hello']);
    expect((await plugin.call('follow')).value).toBe(`${HOST}/new moved`);
  });

  it('is denied what it was not granted', async () => {
    const called = await plugin.call('elsewhere');
    expect(called.value).toContain('other.example');
    expect(called.sent).toEqual([]);
    expect(called).toDeny('network', 'other.example');
    expect(called).not.toDeny('env');
    assertDenies(called, 'network');
    expect(() => assertDenies(called, 'network', 'api.example.com')).toThrow(
      'expected to be denied network: api.example.com: it was denied network: ',
    );
  });

  it('has the clock and the storage of the test', async () => {
    expect((await plugin.call('now')).value).toMatch(/^2030-02-03T04:0\d:/);
    expect((await plugin.call('count')).value).toBe(41);
    expect(await plugin.storage.read('count.txt')).toBe('42');
    expect(await plugin.storage.list()).toContain('count.txt');
    expect(await plugin.storage.read('missing.txt')).toBeUndefined();
  });

  it('asks, and gets the answer of the test', async () => {
    const called = await plugin.call('wipe');
    expect(called).toAsk();
    assertAsks(called);
    expect(called.value).toBe('wiped');
    expect(() => assertAsks({ ...called, asked: [] })).toThrow(
      'expected to be asked about: it ran',
    );
    const denied = await plugin.call('wipe', {}, { approve: () => 'deny' });
    expect(denied).toMatchObject({ isError: true, code: 'APPROVAL_DENIED' });
  });
});

describe('loadPlugin', () => {
  it.each([
    [{ fetch: { 'api.example.com': {} } }, 'names no URL'],
    [{ clock: 'soon' }, 'The option clock of loadPlugin is "soon"'],
    [{ fetsh: {} }, 'loadPlugin has no option "fetsh". It has fetch, cassette,'],
    [{ fetch: 3 }, 'The option fetch of loadPlugin takes routes or a function.'],
    [{ revoke: ['nonsense'] }, 'Use one of time, random,'],
  ])('refuses %j', async (options, message) => {
    const directory = makePlugin({ id: 'refused', source: 'export const tools = []' });
    await expect(loadPlugin(directory, options as object)).rejects.toThrow(message);
  });

  it('says why a plugin does not load', async () => {
    const broken = makePlugin({ id: 'broken', source: 'export const tools = [' });
    await expect(loadPlugin(broken)).rejects.toThrow(
      /The plugin broken did not load\. .*index\.ts/,
    );
    await expect(loadPlugin('/nowhere')).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND' });
  });
});

declare module 'vitest' {
  interface Assertion {
    toDeny(permission: string, wanted?: string): void;
    toAsk(): void;
  }
}
