import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';
import { afterEachTest } from '../tidying.js';

const opened = new Set<{ close(): unknown }>();
afterEachTest(() => {
  for (const server of opened) server.close();
  opened.clear();
});

const HOSTS = ['a.test', 'b.test', 'c.test', 'deep.test', 'x.deep.test'];

/** A server that redirects from a.test/away to b.test. */
async function serveHosts(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer(({ method, headers, url }, response) => {
    seen.push(`${method} ${headers.host}${url}`);
    if (url === '/away') response.writeHead(307, { location: 'http://b.test/' });
    response.end('here');
  });
  opened.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

const plugin = {
  id: 'reaches',
  permissions: { network: HOSTS },
  files: {
    'node_modules/client/index.js': `
exports.get = async (url, init) => {
  try {
    return (await fetch(url, init)).status;
  } catch (error) {
    return error.code;
  }
};
exports.kind = () => [Object.isFrozen(fetch), typeof fetch];`,
  },
  source: `import client from 'client';
const tool = (id, execute) => ({ id, name: id, description: id, annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('package', ({ url, method }) => client.get(url, { method })),
  tool('own', async ({ url }) => (await fetch(url)).status),
  tool('kind', () => client.kind()),
];`,
};

const CLIENT = {
  network: ['http://a.test', '*.deep.test', 'GET c.test', 'elsewhere.test'],
};

it('a package reaches its own hosts, also by redirects, and the plugin reaches all of its own', async () => {
  const { url, seen } = await serveHosts();
  const denied: string[] = [];
  const engine = await startEngine([makePlugin(plugin)], {
    effects: 'off',
    packages: { reaches: { grant: { 'node_modules/client': CLIENT } } },
    network: { overrides: HOSTS.map((host) => ({ host, url })) },
    onEvent: (event) => {
      if (event.type !== 'capability-denied') return;
      denied.push(`${event.package ?? ''} ${event.wanted} ${event.at ?? ''}`);
    },
  });
  const get = async (target: string, method = 'GET', tool = 'package'): Promise<unknown> =>
    (await engine.call(`reaches:${tool}`, { url: target, method })).value;

  expect(await get('http://a.test/')).toBe(200);
  expect(await get('http://x.deep.test/')).toBe(200);
  expect(await get('http://c.test/')).toBe(200);
  expect(seen).toEqual(['GET a.test/', 'GET x.deep.test/', 'GET c.test/']);

  expect(await get('http://b.test/')).toBe('NETWORK_DENIED');
  expect(await get('https://a.test/')).toBe('NETWORK_DENIED');
  expect(await get('http://a.test:81/')).toBe('NETWORK_DENIED');
  expect(await get('http://deep.test/')).toBe('NETWORK_DENIED');
  // In the guest, which knows the line.
  expect(denied.at(-1)).toContain('deep.test/ node_modules/client/index.js');
  expect(await get('http://c.test/', 'POST')).toBe('NETWORK_DENIED');
  expect(await get('http://elsewhere.test/')).toBe('NETWORK_DENIED');
  expect(seen).toHaveLength(3);
  expect(denied[0]).toBe(
    'node_modules/client GET http://b.test/ node_modules/client/index.js:4:37',
  );

  expect(await get('http://a.test/away')).toBe('NETWORK_DENIED');
  expect(seen.slice(3)).toEqual(['GET a.test/away']);

  expect(await get('http://b.test/', 'GET', 'own')).toBe(200);
  expect(await get('http://a.test/away', 'GET', 'own')).toBe(200);
  expect((await engine.call('reaches:kind', {})).value).toEqual([true, 'function']);
});

it('a plugin that gets the network later passes to a package only the hosts of the package', async () => {
  const { url } = await serveHosts();
  let granted: readonly string[] = [];
  const engine = await startEngine([makePlugin(plugin)], {
    effects: 'off',
    grant: () => ({ network: granted }),
    packages: { reaches: { grant: { 'node_modules/client': CLIENT } } },
    network: { overrides: HOSTS.map((host) => ({ host, url })) },
  });
  const get = async (target: string): Promise<unknown> =>
    (await engine.call('reaches:package', { url: target })).value;
  await get('http://a.test/');
  granted = HOSTS;
  await engine.reload();
  expect(await get('http://a.test/')).toBe(200);
  expect(await get('http://b.test/')).toBe('NETWORK_DENIED');
});

it('a plugin that is granted the network while it runs passes nothing to a package without it', async () => {
  const { url, seen } = await serveHosts();
  const engine = await startEngine([makePlugin(plugin)], {
    effects: 'off',
    grant: 'nothing',
    packages: { reaches: 'separate' },
    network: { overrides: HOSTS.map((host) => ({ host, url })) },
  });
  const get = async (tool: string): Promise<unknown> =>
    (await engine.call(`reaches:${tool}`, { url: 'http://a.test/' })).value;
  await get('package');
  await engine.grant('reaches', 'network:a.test');
  expect(await get('own')).toBe(200);
  expect(await get('package')).not.toBe(200);
  expect(seen).toHaveLength(1);
});
