import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeCertificates } from './certificates.js';
import { brokerFor, textOf } from './plugin.js';
import { listen, type Served } from './servers.js';

const { ca, key, cert } = makeCertificates('api.test');

afterEach(() => {
  vi.unstubAllEnvs();
});

async function serveSecurely(): Promise<Served> {
  const server = createServer({ key, cert }, (request, response) => {
    const { servername } = request.socket as TLSSocket & { servername?: string };
    response.end(`${servername} ${request.headers.host}`);
  });
  const served = await listen(server, []);
  return { ...served, url: served.url.replace('http:', 'https:') };
}

describe('a host that is served with TLS', () => {
  it("is trusted by the operator's own authority, and asked for by the plugin's name for it", async () => {
    const broker = brokerFor(await serveSecurely(), { ca: [ca] });
    const reply = await broker.get('https://api.test/');
    expect(await textOf(reply.body)).toBe('api.test api.test');
  });

  it('is not trusted without that authority', async () => {
    const broker = brokerFor(await serveSecurely());
    await expect(broker.get('https://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('certificate is not trusted'),
    });
  });

  it('is not trusted because the host process trusts everybody', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const broker = brokerFor(await serveSecurely());
    await expect(broker.get('https://api.test/')).rejects.toMatchObject({ code: 'NETWORK_FAILED' });
  });

  it('is not trusted under another name', async () => {
    const server = await serveSecurely();
    const broker = brokerFor(undefined, {
      granted: ['other.test'],
      overrides: [{ host: 'other.test', url: server.url }],
      ca: [ca],
    });
    await expect(broker.get('https://other.test/')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('certificate is not trusted'),
    });
  });
});
