import { describe, expect, it } from 'vitest';
import type { NetworkBrokerSpec } from '../../../src/brokers/network/broker.js';
import { brokerFor, bytesOf, sourceOf } from './plugin.js';
import { serve, serveRaw } from './servers.js';

const CANCELLED = { code: 'CANCELLED' };

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
    let asked = false;
    const resolve = (): Promise<never> => {
      asked = true;
      return new Promise(() => {});
    };
    expect(await givesUp({ resolve }, 'http://slow.test/', () => asked)).toBe(0);
  });

  it('while it connects', async () => {
    // A listener that accepts nothing from its queue: TLS never answers.
    let sockets = 0;
    const server = await serveRaw(() => (sockets += 1));
    const overrides = [{ host: 'slow.test', url: server.url.replace('http:', 'https:') }];
    expect(await givesUp({ overrides }, 'https://slow.test/', () => sockets === 1)).toBe(0);
  });

  it('while it waits for headers closes the connection', async () => {
    let sockets = 0;
    let closed = 0;
    const server = await serveRaw((socket) => {
      sockets += 1;
      socket.resume().on('close', () => (closed += 1));
    });
    const overrides = [{ host: 'slow.test', url: server.url }];
    await givesUp({ overrides }, 'http://slow.test/', () => sockets === 1);
    await expect.poll(() => closed).toBe(1);
  });

  it('while its body is sent stops the body', async () => {
    let received = '';
    const server = await serveRaw((socket) => {
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    });
    const broker = brokerFor(server);
    const giveUp = new AbortController();
    const source = sourceOf(['a', 'b'], true);
    const pending = broker.get('http://api.test/', { method: 'POST' }, source, giveUp.signal);
    await expect.poll(() => received).toContain('\r\n\r\n');
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
    await expect.poll(() => closed).toBe(true);
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
    await expect.poll(() => closed).toBe(true);
    expect(broker.active).toBe(0);
    expect(broker.records).toMatchObject([{ outcome: 'allowed' }]);
  });
});

describe('a closed broker', () => {
  it('ends what is under way and makes no request more', async () => {
    let requests = 0;
    const server = await serve((request, response) => {
      requests += 1;
      if (request.url === '/body') response.write('a');
    });
    const broker = brokerFor(server);
    const reply = await broker.get('http://api.test/body');
    const pending = broker.get('http://api.test/headers');
    await expect.poll(() => requests).toBe(2);

    await broker.close();

    const revoked = { code: 'PERMISSION_REVOKED' };
    await expect(pending).rejects.toMatchObject(revoked);
    await expect(bytesOf(reply.body)).rejects.toMatchObject(revoked);
    await expect(broker.get('http://api.test/')).rejects.toMatchObject(revoked);
    expect(broker.active).toBe(0);
  });
});

/** Gives up a request that hangs, once it is as far as it has to be; returns how many are open then. */
async function givesUp(
  more: Partial<NetworkBrokerSpec>,
  url: string,
  isThere: () => boolean,
): Promise<number> {
  const broker = brokerFor(undefined, { granted: ['slow.test'], ...more });
  const giveUp = new AbortController();
  const pending = broker.get(url, {}, undefined, giveUp.signal);
  await expect.poll(isThere).toBe(true);
  expect(broker.active).toBe(1);
  giveUp.abort();
  await expect(pending).rejects.toMatchObject(CANCELLED);
  return broker.active;
}
