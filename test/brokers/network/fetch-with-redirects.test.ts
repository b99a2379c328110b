import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf } from './plugin.js';
import { serve } from './servers.js';

const REVOKED = { code: 'PERMISSION_REVOKED' };
const secret = {
  name: 'KEY',
  placeholder: 'bulkhead-secret-00',
  value: 'the value itself',
  boundTo: () => true,
  places: ['header'] as const,
};

async function start(secrets: readonly (typeof secret)[] = []) {
  const received: (string | undefined)[] = [];
  const server = await serve((request, response) => {
    received.push(request.headers['x-key']?.toString());
    if (request.url === '/elsewhere') {
      response.writeHead(302, { location: 'http://other.test/slow' }).end();
    } else if (request.url === '/slow') response.write('a first part');
    else response.end('all of it');
  });
  let granted = ['api.test', 'other.test'];
  const broker = brokerFor(server, {
    granted,
    allows: (url) => granted.includes(url.host),
    overrides: ['api.test', 'other.test'].map((host) => ({ host, url: server.url })),
    secrets,
  });
  const follow = (next: string[], held: readonly (typeof secret)[] = secrets): void => {
    granted = next;
    broker.updateGrant({ granted, secrets: held });
  };
  return { broker, follow, received };
}

describe('a broker whose grant changes', () => {
  it('aborts requests to a host whose grant was revoked, and no others', async () => {
    const { broker, follow } = await start();
    const kept = await broker.get('http://api.test/slow');
    const lost = await broker.get('http://other.test/slow');
    follow(['api.test']);
    await expect(bytesOf(lost.body)).rejects.toMatchObject(REVOKED);
    expect(Buffer.from((await kept.body?.pull()) ?? []).toString()).toBe('a first part');
    await expect(broker.get('http://other.test/')).rejects.toMatchObject({
      code: 'NETWORK_DENIED',
      details: { granted: ['api.test'] },
    });
    expect((await broker.get('http://api.test/')).status).toBe(200);
  });

  it('aborts requests that were redirected through a host whose grant was revoked', async () => {
    const { broker, follow } = await start();
    const through = await broker.get('http://api.test/elsewhere');
    expect(through.redirected).toBe(true);
    follow(['other.test']);
    await expect(bytesOf(through.body)).rejects.toMatchObject(REVOKED);
  });

  it('serves a host that is new', async () => {
    const { broker, follow } = await start();
    follow([]);
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    follow(['api.test']);
    expect((await broker.get('http://api.test/')).status).toBe(200);
  });

  it('ends what is under way when a secret is removed, and inserts it no more', async () => {
    const { broker, follow, received } = await start([secret]);
    const headers = [['x-key', secret.placeholder]];
    const begun = await broker.get('http://api.test/slow', { headers });
    expect(received).toEqual([secret.value]);
    follow(['api.test'], []);
    await expect(bytesOf(begun.body)).rejects.toMatchObject(REVOKED);
    await broker.get('http://api.test/', { headers });
    expect(received).toEqual([secret.value, secret.placeholder]);
  });
});
