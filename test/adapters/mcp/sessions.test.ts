import { describe, expect, it } from 'vitest';
import { makeEventStore } from '../../../src/adapters/mcp/sessions.js';
import { connectOld, serveMcp, url } from './served.js';

describe('the sessions of MCP clients', () => {
  it('end for the client that was silent for longest if there are too many', async () => {
    const served = await serveMcp({ maxSessions: 2 });
    const first = await connectOld(served);
    const second = await connectOld(served);
    await first.listTools();
    await connectOld(served);
    await expect(second.listTools()).rejects.toThrow('Session not found');
    expect((await first.listTools()).tools.length).toBeGreaterThan(0);
  });

  it('are opened by a request to initialize alone, and their bodies are limited', async () => {
    const { handler } = await serveMcp({ maxBodyBytes: 2_000 });
    const send = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
      handler.fetch(
        new Request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...headers,
          },
          body,
        }),
      );
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    const opened = await send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    );
    const session = opened.headers.get('mcp-session-id') ?? '';
    expect(session).not.toBe('');
    const known = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await send(JSON.stringify(list), known)).status).toBe(200);
    expect((await send(`"${'x'.repeat(3_000)}"`, known)).status).toBe(413);
    expect((await send('{', known)).status).toBe(400);
    const unknown = await send(JSON.stringify(list), { ...known, 'mcp-session-id': 'other' });
    expect(unknown.status).toBe(404);
    const without = await send(JSON.stringify(list));
    expect(without.headers.get('mcp-session-id')).toBeNull();
  });
});

describe('the stored events of a session', () => {
  const message = (n: number, text = '') => ({
    jsonrpc: '2.0' as const,
    method: `m${n}`,
    params: { text },
  });

  it('are sent again from the last one that the client had, of its stream alone', async () => {
    const store = makeEventStore();
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1)
      ids.push(await store.storeEvent(n % 2 ? 'odd' : 'even', message(n)));
    const sent: unknown[] = [];
    const stream = await store.replayEventsAfter(ids[0] ?? '', {
      send: async (_id, event) => void sent.push(event),
    });
    expect(stream).toBe('even');
    expect(sent).toEqual([message(2), message(4)]);
  });

  it('are the last 500, of two million characters in all', async () => {
    const store = makeEventStore();
    const first = await store.storeEvent('s', message(0));
    for (let n = 1; n < 500; n += 1) await store.storeEvent('s', message(n));
    expect(await store.getStreamIdForEventId?.(first)).toBe('s');
    const second = await store.storeEvent('s', message(500));
    expect(await store.getStreamIdForEventId?.(first)).toBeUndefined();
    await store.storeEvent('s', message(501, 'x'.repeat(2 * 1024 * 1024)));
    expect(await store.getStreamIdForEventId?.(second)).toBeUndefined();
    await expect(store.replayEventsAfter(second, { send: async () => {} })).rejects.toThrow(
      'not stored any more',
    );
  });
});
