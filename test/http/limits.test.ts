import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen } from '../../src/http/listen.js';
import { serveMcp, url } from '../adapters/mcp/served.js';

describe('a server', () => {
  it('holds so many connections, and drops the others', async () => {
    const listening = await listen(() => Promise.resolve(new Response('ok')), {
      host: '127.0.0.1',
      port: 0,
      maxConnections: 2,
    });
    const sockets: Socket[] = [];
    const open = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = connect(listening.port, '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => resolve('dropped')).on('close', () => resolve('dropped'));
        socket.on('data', () => resolve('served'));
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      });
    expect(await open()).toBe('served');
    expect(await open()).toBe('served');
    expect(await open()).toBe('dropped');
    for (const socket of sockets) socket.destroy();
    await listening.close(false);
  });

  it('has room for so many clients that listen for changes', async () => {
    const { handler } = await serveMcp({ maxListeners: 1 });
    const listen_ = (id: number): Promise<Response> => {
      const version = '2026-07-28';
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const method = 'subscriptions/listen';
      const params = { _meta, notifications: { toolsListChanged: true } };
      return handler.fetch(
        new Request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': version,
            'mcp-method': method,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        }),
      );
    };
    const first = await listen_(1);
    expect(first.headers.get('content-type')).toContain('event-stream');
    const second = await listen_(2);
    expect(await second.text()).toContain('Subscription limit reached');
    await first.body?.cancel();
  });
});
