import { describe, expect, it } from 'vitest';
import type { NetworkBrokerSpec } from '../../../src/brokers/network/broker.js';
import { brokerFor, bytesOf, sourceOf } from './plugin.js';
import { serve, serveRaw } from './servers.js';

const CANCELLED = { code: 'CANCELLED' };
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe('a request that is given up', () => {
  it('before it began makes no connection', async () => {
    const server = await serve((_request, response) => response.end());
    const broker = brokerFor(server);
    const source = sourceOf(['x']);
    await expect(
      broker.get('http://api.test/', { method: 'POST' }, source, AbortSignal.abort()),
    ).rejects.toMatchObject(CANCELLED);
    expect(server.connections).toBe(0);
    expect(source.cancelled).toBe(true);
  });

  it('while it waits in line leaves the line', async () => {
    const server = await serve((_request, response) => response.end('a'));
    const broker = brokerFor(server, { limits: { maxActive: 1, maxQueued: 1 } });
    const first = await broker.get('http://api.test/');
    const giveUp = new AbortController();
    const second = broker.get('http://api.test/', {}, undefined, giveUp.signal);
    giveUp.abort();
    await expect(second).rejects.toMatchObject(CANCELLED);

    const third = broker.get('http://api.test/');
    await bytesOf(first.body);
    expect((await third).status).toBe(200);
  });

  it('while its name is resolved', async () => {
    expect(await givesUp({ resolve: () => new Promise(() => {}) }, 'http://slow.test/')).toBe(0);
  });

  it('while it connects', async () => {
    // A listener whose queue nobody serves: TLS never answers.
    const server = await serveRaw(() => {});
    const overrides = [{ host: 'slow.test', url: server.url.replace('http:', 'https:') }];
    expect(await givesUp({ overrides }, 'https://slow.test/')).toBe(0);
  });

  it('while it waits for headers closes the connection', async () => {
    let closed = false;
    const server = await serveRaw((socket) => {
      socket.resume().on('close', () => (closed = true));
    });
    await givesUp({ overrides: [{ host: 'slow.test', url: server.url }] }, 'http://slow.test/');
    await soon();
    expect(closed).toBe(true);
  });

  it('while its body is sent stops the body', async () => {
    const server = await serveRaw((socket) => socket.resume());
    const broker = brokerFor(server);
    const giveUp = new AbortController();
    const source = sourceOf(['a', 'b'], true);
    const pending = broker.get('http://api.test/', { method: 'POST' }, source, giveUp.signal);
    await soon();
    giveUp.abort();
    await expect(pending).rejects.toMatchObject(CANCELLED);
    expect(source.cancelled).toBe(true);
    expect(broker.active).toBe(0);
  });

  it('while its answer is read', async () => {
    let closed = false;
    const server = await serve((_request, response) => {
      response.on('close', () => (closed = true)).write('a');
    });
    const broker = brokerFor(server);
    const giveUp = new AbortController();
    const reply = await broker.get('http://api.test/', {}, undefined, giveUp.signal);
    await reply.body?.pull();
    const pending = reply.body?.pull();
    giveUp.abort();
    await expect(pending).rejects.toMatchObject(CANCELLED);
    await soon();
    expect(closed).toBe(true);
    expect(broker.active).toBe(0);
    expect(broker.records).toMatchObject([{ outcome: 'failed', status: 200 }]);
  });

  it('after its answer was read changes nothing', async () => {
    const server = await serve((_request, response) => response.end('a'));
    const broker = brokerFor(server);
    const giveUp = new AbortController();
    const reply = await broker.get('http://api.test/', {}, undefined, giveUp.signal);
    await bytesOf(reply.body);
    giveUp.abort();
    expect(await reply.body?.pull()).toBeUndefined();
    expect(broker.records).toMatchObject([{ outcome: 'allowed' }]);
  });
});

describe('an answer whose reader wants no more', () => {
  it('closes the connection and is over', async () => {
    let closed = false;
    const server = await serve((_request, response) => {
      response.on('close', () => (closed = true)).write('a');
    });
    const broker = brokerFor(server);
    const reply = await broker.get('http://api.test/');
    reply.body?.cancel('enough');
    await soon();
    expect(closed).toBe(true);
    expect(broker.active).toBe(0);
    expect(broker.records).toMatchObject([{ outcome: 'allowed' }]);
  });
});

describe('a closed broker', () => {
  it('ends what is under way and makes no request more', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/body') response.write('a');
    });
    const broker = brokerFor(server);
    const reply = await broker.get('http://api.test/body');
    const pending = broker.get('http://api.test/headers');
    await soon();

    await broker.close();

    const revoked = { code: 'PERMISSION_REVOKED' };
    await expect(pending).rejects.toMatchObject(revoked);
    await expect(bytesOf(reply.body)).rejects.toMatchObject(revoked);
    await expect(broker.get('http://api.test/')).rejects.toMatchObject(revoked);
    expect(broker.active).toBe(0);
  });
});

/** Gives up a request that hangs; tells how many are under way then. */
async function givesUp(more: Partial<NetworkBrokerSpec>, url: string): Promise<number> {
  const broker = brokerFor(undefined, { granted: ['slow.test'], ...more });
  const giveUp = new AbortController();
  const pending = broker.get(url, {}, undefined, giveUp.signal);
  await soon();
  expect(broker.active).toBe(1);
  giveUp.abort();
  await expect(pending).rejects.toMatchObject(CANCELLED);
  return broker.active;
}
