import { afterEach, describe, expect, it, vi } from 'vitest';
import { brokerFor, bytesOf, header, type TestBroker } from './plugin.js';
import { serve, type Served } from './servers.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

async function serveOk(): Promise<Served> {
  return serve((request, response) => {
    response.setHeader('set-cookie', 'session=1');
    response.setHeader('x-cookie', request.headers.cookie ?? 'none');
    response.end('ok');
  });
}

async function ask(broker: TestBroker, url: string = 'http://api.test/') {
  const reply = await broker.get(url);
  await bytesOf(reply.body);
  return reply;
}

describe('a connection', () => {
  it('is reused for the next request of the same plugin', async () => {
    const server = await serveOk();
    const broker = brokerFor(server);
    await ask(broker);
    await ask(broker);
    expect(server.seen).toHaveLength(2);
    expect(server.connections).toBe(1);
  });

  it("is never another plugin's", async () => {
    const server = await serveOk();
    const [one, other] = [brokerFor(server), brokerFor(server)];
    await ask(one);
    await ask(other);
    await ask(one);
    expect(server.connections).toBe(2);
  });

  it('is created and checked again if the server has closed it', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('connection', 'close');
      response.end('ok');
    });
    const broker = brokerFor(server);
    await ask(broker);
    await ask(broker);
    expect(server.connections).toBe(2);
  });

  it('that is idle is one of a few', async () => {
    const server = await serveOk();
    const hosts = Array.from({ length: 6 }, (_, index) => `h${index}.test`);
    const broker = brokerFor(undefined, {
      granted: hosts,
      overrides: hosts.map((host) => ({ host, url: server.url })),
      limits: { maxIdleConnections: 2 },
    });
    for (const host of hosts) await ask(broker, `http://${host}/`);
    // The two that were used last are still there, and no other.
    await ask(broker, 'http://h5.test/');
    await ask(broker, 'http://h4.test/');
    expect(server.connections).toBe(6);
    await ask(broker, 'http://h0.test/');
    expect(server.connections).toBe(7);
  });
});

describe("the host's own settings", () => {
  it('for proxies are not used', async () => {
    const [server, proxy] = [await serveOk(), await serveOk()];
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy']) {
      vi.stubEnv(name, proxy.url);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    await ask(brokerFor(server));
    expect(server.seen).toHaveLength(1);
    expect(proxy.connections).toBe(0);
  });
});

describe('a cookie', () => {
  it('that a server sets is shown to the plugin and not stored', async () => {
    const broker = brokerFor(await serveOk());
    const first = await ask(broker);
    expect(header(first, 'set-cookie')).toBe('session=1');
    const second = await ask(broker);
    expect(header(second, 'x-cookie')).toBe('none');
  });
});
