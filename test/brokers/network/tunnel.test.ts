import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import type { Resolve } from '../../../src/brokers/network/dial.js';
import { brokerFor, textOf } from './plugin.js';
import { listen, serve, serveRaw, type Served } from './servers.js';

/** A proxy that leads every CONNECT to `target`, and tells what it was asked for. */
async function serveProxy(target: Served, asked: string[]): Promise<Served> {
  const server = createServer();
  server.on('connect', (request, socket: Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    const through = connect(target.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    through.on('error', () => socket.destroy());
    socket.on('error', () => through.destroy());
  });
  return listen(server, []);
}

describe("the operator's proxy", () => {
  it('is asked for the host by name, which is not resolved here', async () => {
    const asked: string[] = [];
    const server = await serve((request, response) => response.end(request.headers.host));
    const proxy = await serveProxy(server, asked);
    const resolve = vi.fn<Resolve>(async () => []);
    const broker = brokerFor(undefined, { proxy: proxy.url, resolve });

    expect(await textOf((await broker.get('http://api.test/')).body)).toBe('api.test');

    expect(asked).toEqual(['api.test:80']);
    expect(resolve).not.toHaveBeenCalled();
  });

  it('receives its user and password', async () => {
    const asked: string[] = [];
    const server = await serve((_request, response) => response.end());
    const { port } = await serveProxy(server, asked);
    const broker = brokerFor(undefined, { proxy: `http://me:s%3Acret@127.0.0.1:${port}` });
    await broker.get('http://api.test/');
    expect(asked).toEqual([`api.test:80 Basic ${Buffer.from('me:s:cret').toString('base64')}`]);
  });

  it.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://localhost/',
    'http://metadata.google.internal/',
  ])('is not asked for %s, though that is granted', async (url) => {
    const asked: string[] = [];
    const server = await serve((_request, response) => response.end());
    const proxy = await serveProxy(server, asked);
    const broker = brokerFor(undefined, { proxy: proxy.url, allows: () => true });
    await expect(broker.get(url)).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    expect(asked).toEqual([]);
  });

  it('is passed by for a host that an override serves', async () => {
    const asked: string[] = [];
    const server = await serve((_request, response) => response.end('direct'));
    const proxy = await serveProxy(server, asked);
    const broker = brokerFor(server, { proxy: proxy.url });
    expect(await textOf((await broker.get('http://api.test/')).body)).toBe('direct');
    expect(asked).toEqual([]);
  });

  it.each([
    ['refuses', 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n'],
    ['hangs up', ''],
    ['is no proxy', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ])('fails the request if it %s', async (_what, text) => {
    const proxy = await serveRaw(text);
    const broker = brokerFor(undefined, { proxy: proxy.url });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({ code: 'NETWORK_FAILED' });
    expect(broker.active).toBe(0);
    expect(proxy.connections).toBe(1);
  });

  it.each(['', 'proxy.test', 'socks5://127.0.0.1:1080'])(
    'is refused at once if it is %j',
    (proxy) => {
      expect(() => brokerFor(undefined, { proxy })).toThrow(/proxy is not an http/);
    },
  );
});
