import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen } from '../../src/http/listen.js';
import { serveMcp, url } from '../adapters/mcp/served.js';

interface Client {
  readonly outcome: Promise<'served' | 'dropped'>;
  /** Whether its request has come. */
  readonly asked: () => boolean;
}

/** A server that has room for two connections, and clients that each ask it once by their name. */
async function serve(answer: (markBusy: () => void, name: string) => Promise<Response>) {
  const asked: string[] = [];
  const listening = await listen(
    (request, markBusy) => {
      const { pathname, searchParams } = new URL(request.url);
      asked.push(searchParams.get('n') ?? '');
      return answer(markBusy, pathname.slice(1));
    },
    { host: '127.0.0.1', port: 0, maxConnections: 2 },
  );
  const sockets: Socket[] = [];
  const open = (name = 'caller'): Client => {
    const socket = connect(listening.port, '127.0.0.1');
    const number = String(sockets.push(socket));
    const outcome = new Promise<'served' | 'dropped'>((resolve) => {
      socket.on('error', () => resolve('dropped')).on('close', () => resolve('dropped'));
      socket.on('data', () => resolve('served'));
    });
    if (name !== '') socket.write(`GET /${name}?n=${number} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return { outcome, asked: () => asked.includes(number) };
  };
  const count = (): number => sockets.filter(({ destroyed }) => !destroyed).length;
  const end = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await listening.close(false);
  };
  return { open, count, end };
}

describe('a server', () => {
  it('limits connections, and closes new ones while all are busy', async () => {
    const { open, end } = await serve((markBusy) => {
      markBusy();
      return new Promise(() => {});
    });
    const held = [open(), open()];
    await expect.poll(() => held.every(({ asked }) => asked())).toBe(true);
    expect(await open().outcome).toBe('dropped');
    expect(
      await Promise.race([...held.map(({ outcome }) => outcome), Promise.resolve('held')]),
    ).toBe('held');
    await end();
  });

  it('closes the connection that has been idle for longest', async () => {
    const { open, end, count } = await serve((markBusy, name) => {
      // A caller that is not verified receives no answer.
      if (name === 'stranger') return new Promise(() => {});
      markBusy();
      return Promise.resolve(new Response('ok'));
    });
    const silent = open('');
    const stranger = open('stranger');
    await expect.poll(stranger.asked).toBe(true);
    for (const gone of [silent, stranger]) {
      expect(await open('caller').outcome).toBe('served');
      expect(await gone.outcome).toBe('dropped');
      expect(count()).toBe(2);
    }
    // Those that were served are idle now, too.
    expect(await open('caller').outcome).toBe('served');
    await end();
  });

  it('limits the subscriptions of MCP clients', async () => {
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
