import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf, sourceOf, textOf } from './plugin.js';
import { serve, serveRaw } from './servers.js';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('the headers of an answer', () => {
  it('have a maximum size in bytes', async () => {
    const server = await serveRaw(`${OK}x: ${'a'.repeat(70_000)}\r\n\r\n`);
    await expect(brokerFor(server).get('http://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_LIMIT',
      details: { limit: 'maxResponseHeaderBytes' },
    });
  });

  it('end, even if the server never ends them', async () => {
    let sent = 0;
    const server = await serveRaw((socket) => {
      const go = (): void => {
        while (!socket.destroyed && socket.write('a'.repeat(8192))) sent += 8192;
      };
      socket.once('data', () => {
        socket.write(`${OK}x: `);
        socket.on('drain', go);
        go();
      });
    });
    await expect(brokerFor(server).get('http://api.test/')).rejects.toMatchObject({
      details: { limit: 'maxResponseHeaderBytes' },
    });
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('have a maximum number', async () => {
    const server = await serveRaw(`${OK}${'a:\r\n'.repeat(300)}content-length: 0\r\n\r\n`);
    await expect(brokerFor(server).get('http://api.test/')).rejects.toMatchObject({
      details: { limit: 'maxResponseHeaders' },
    });
  });

  it('follow a maximum number of informational responses', async () => {
    const server = await serveRaw(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(30)}${OK}\r\n`);
    await expect(brokerFor(server).get('http://api.test/')).rejects.toMatchObject({
      details: { limit: 'maxInformational' },
    });
  });

  it('come in time', async () => {
    const server = await serveRaw(() => {});
    const broker = brokerFor(server, { limits: { headersMs: 50 } });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({
      details: { limit: 'headersMs' },
    });
    expect(broker.active).toBe(0);
  });

  it('are waited for from the last byte that was sent', async () => {
    const server = await serve((request, response) => {
      request.resume().on('end', () => response.end('thanks'));
    });
    const broker = brokerFor(server, { limits: { headersMs: 2_000 } });
    let left = 8;
    const slow = {
      pull: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        left -= 1;
        return left >= 0 ? Buffer.from('.') : undefined;
      },
      cancel: () => {},
    };
    const reply = await broker.get('http://api.test/', { method: 'POST' }, slow);
    expect(await textOf(reply.body)).toBe('thanks');
  });
});

describe('the body of an answer', () => {
  const bomb = Buffer.alloc(4 * 1024 * 1024);
  it.each([
    ['gzip', gzipSync(bomb), 4128],
    ['br', brotliCompressSync(bomb), 200],
    ['gzip, gzip', gzipSync(gzipSync(bomb)), 400],
  ])('in %s is counted as it is unpacked', async (coding, packed, most) => {
    expect(packed.length).toBeLessThan(most);
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(packed);
    });
    const broker = brokerFor(server, { limits: { maxResponseBytes: 1024 * 1024 } });
    const reply = await broker.get('http://api.test/');
    await expect(bytesOf(reply.body)).rejects.toMatchObject({
      code: 'NETWORK_LIMIT',
      details: { limit: 'maxResponseBytes' },
    });
    expect(broker.active).toBe(0);
  });

  it('is not unpacked more than twice', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' }).end('x');
    });
    await expect(brokerFor(server).get('http://api.test/')).rejects.toMatchObject({
      details: { limit: 'maxContentCodings' },
    });
  });

  it('ends, even if the server never ends it', async () => {
    const server = await serve((_request, response) => {
      const go = (): void => {
        while (!response.destroyed && response.write('a'.repeat(65_536)));
      };
      response.on('drain', go);
      go();
    });
    const broker = brokerFor(server, { limits: { maxResponseBytes: 1024 * 1024 } });
    const reply = await broker.get('http://api.test/');
    await expect(bytesOf(reply.body)).rejects.toMatchObject({
      details: { limit: 'maxResponseBytes' },
    });
    expect(broker.records).toMatchObject([{ outcome: 'failed', status: 200 }]);
  });

  it('may stall for a limited time while the plugin waits for it', async () => {
    const server = await serve((_request, response) => void response.write('a'));
    const broker = brokerFor(server, { limits: { idleMs: 500 } });
    const reply = await broker.get('http://api.test/');
    await new Promise((resolve) => setTimeout(resolve, 750));
    expect((await reply.body?.pull())?.length).toBe(1);
    await expect(reply.body?.pull()).rejects.toMatchObject({ details: { limit: 'idleMs' } });
  });

  it('cannot arrive slowly forever', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const broker = brokerFor(server, { limits: { idleMs: 10_000, totalMs: 500 } });
    const reply = await broker.get('http://api.test/');
    await expect(bytesOf(reply.body)).rejects.toMatchObject({ details: { limit: 'totalMs' } });
  });

  it('that is not read occupies its slot for a limited time', async () => {
    const server = await serve((_request, response) => response.end('a'));
    const broker = brokerFor(server, { limits: { totalMs: 1_000 } });
    const reply = await broker.get('http://api.test/');
    expect(broker.active).toBe(1);
    await expect.poll(() => broker.active).toBe(0);
    await expect(reply.body?.pull()).rejects.toMatchObject({ details: { limit: 'totalMs' } });
  });
});

describe('the body of a request', () => {
  it('has a maximum size in bytes', async () => {
    const server = await serve((request, response) => {
      request.resume().on('end', () => response.end());
    });
    const broker = brokerFor(server, { limits: { maxRequestBytes: 100_000, maxReplayBytes: 1 } });
    function* endless() {
      for (;;) yield Buffer.alloc(8192);
    }
    const source = sourceOf(endless());
    await expect(broker.get('http://api.test/', { method: 'POST' }, source)).rejects.toMatchObject({
      details: { limit: 'maxRequestBytes' },
    });
    expect(source.cancelled).toBe(true);
  });
});

describe('requests under way', () => {
  it('have a maximum concurrency; the next waits for a free slot, and too many are refused', async () => {
    const server = await serve((_request, response) => response.end('a'));
    const broker = brokerFor(server, { limits: { maxActive: 2, maxQueued: 1 } });
    const [first] = await Promise.all([
      broker.get('http://api.test/1'),
      broker.get('http://api.test/2'),
    ]);
    const third = broker.get('http://api.test/3');
    await expect(broker.get('http://api.test/4')).rejects.toMatchObject({
      details: { limit: 'maxQueued' },
    });
    expect(server.seen).toHaveLength(2);

    await bytesOf(first.body);
    expect((await third).status).toBe(200);
    expect(broker.active).toBe(2);
  });
});
