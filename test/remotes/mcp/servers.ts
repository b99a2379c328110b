import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { afterEachTest } from '../../tidying.js';
import { makeMcpRemote, type McpRemoteSpec } from '../../../src/remotes/mcp/mcp.js';
import type { LoginStore } from '../../../src/remotes/mcp/oauth.js';
import type { PinStore } from '../../../src/remotes/pins.js';
import type { McpRemoteOptions, Remote } from '../../../src/remotes/remote.js';

const open = new Set<{ close(): unknown }>();
afterEachTest(async () => {
  await Promise.all([...open].map((one) => one.close()));
  open.clear();
});

const require = createRequire(import.meta.url);

const entries = {
  'server-everything': () =>
    require.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'server-filesystem': () =>
    require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
};

/** The entry of a reference server, as its package installs it. */
export function entryOf(name: keyof typeof entries): string {
  return entries[name]();
}

export const echo: Tool = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};

export interface McpServer {
  readonly url: string;
  tools: Tool[];
  /** What a call is answered with. */
  answer: (params: Record<string, unknown>) => unknown;
  /** Headers of the requests that came. */
  readonly seen: Headers[];
  /** Tells clients that the list has changed. */
  readonly changed: () => void;
}

/** A server made with the official SDK, on loopback, until the end of the test. */
export async function serveMcp(tools: Tool[] = [echo]): Promise<McpServer> {
  const seen: Headers[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'house', version: '2' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler('tools/list', () => ({ tools: state.tools }));
    server.setRequestHandler('tools/call', ({ params }) => state.answer(params) as never);
    return server;
  });
  const listener = getRequestListener((request) => {
    seen.push(request.headers);
    return handler.fetch(request);
  });
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add({
    close: async () => {
      server.close();
      server.closeAllConnections();
      await handler.close();
    },
  });
  const state: McpServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    tools,
    seen,
    answer: ({ arguments: input }) => ({
      content: [{ type: 'text', text: JSON.stringify(input) }],
    }),
    changed: () => handler.notify.toolsChanged(),
  };
  return state;
}

/** A server of an older version, which announces changes and has no stream to report them. */
export async function serveWithoutStream(): Promise<{ url: string; refused: Promise<void> }> {
  let refuse = (): void => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'old', version: '1' },
    },
    'tools/list': { tools: [echo] },
  };
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end(() => refuse());
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const result = results[String(method)];
      const answer =
        result === undefined
          ? { error: { code: -32601, message: 'Method not found' } }
          : { result };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, refused };
}

/**
 * A server with sessions. `forget` makes it unknow them, as a restart does; `fail` makes it answer 500 to the
 * next call of a tool, after it ran.
 */
export async function serveSessions(): Promise<{
  readonly url: string;
  readonly runs: () => number;
  forget(): void;
  fail(): void;
}> {
  let session = 0;
  let runs = 0;
  let fails = false;
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
      const named = request.headers['mcp-session-id'];
      if (method !== 'initialize' && named !== `s${session}`) {
        response
          .writeHead(404)
          .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"gone"},"id":null}');
        return;
      }
      if (id === undefined) {
        response.writeHead(202).end();
        return;
      }
      if (method === 'tools/call') runs += 1;
      if (method === 'tools/call' && fails) {
        fails = false;
        response.writeHead(500).end();
        return;
      }
      if (method === 'initialize') session += 1;
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'sessions', version: '1' },
        },
        'tools/list': { tools: [echo] },
        'tools/call': { content: [{ type: 'text', text: `session ${session}` }] },
      };
      const result = results[String(method)];
      const answer =
        result === undefined
          ? { error: { code: -32601, message: 'Method not found' } }
          : { result };
      response.writeHead(200, {
        'content-type': 'application/json',
        'mcp-session-id': `s${session}`,
      });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    runs: () => runs,
    forget: () => void (session += 100),
    fail: () => void (fails = true),
  };
}

export function makePins(): PinStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (id) => texts.get(id),
    write: (id, text) => Promise.resolve(void texts.set(id, text)),
  };
}

/** Stores logins in memory, by the server's id. */
export function makeLogins(): LoginStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (id) => texts.get(id),
    write: async (id, text) => {
      if (text === undefined) texts.delete(id);
      else texts.set(id, text);
    },
  };
}

export function makeRemote(
  options: McpRemoteOptions,
  pins: PinStore = makePins(),
  logins: LoginStore = makeLogins(),
  more: Pick<McpRemoteSpec, 'confining'> = {},
): Remote {
  const remote = makeMcpRemote({ id: 'house', options, network: {}, pins, logins, ...more });
  open.add({ close: () => remote.close() });
  return remote;
}
