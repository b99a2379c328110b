import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEachTest } from '../../tidying.js';
import type { JsonObject } from '../../../src/index.js';
import { makeIdentity } from '../../../src/remotes/identity.js';
import type { Remote, RemoteCall, VertesiaRemoteOptions } from '../../../src/remotes/remote.js';
import { makePins } from '../mcp/servers.js';
import { makeVertesiaRemote } from '../../../src/remotes/vertesia/vertesia.js';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** JSON, unless it is a text. */
  readonly body?: unknown;
}

export interface ToolServer {
  readonly origin: string;
  readonly url: string;
  readonly seen: Seen[];
  readonly posts: () => Seen[];
}

const open = new Set<{ close(): unknown }>();
afterEachTest(() => {
  for (const one of open) one.close();
  open.clear();
});

export const weather = {
  name: 'weather',
  description: 'Tells the weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};

/** A tool server that answers as it is told, until the end of the test. */
export async function serveTools(
  list: unknown,
  post: (seen: Seen) => Reply | 'drop' | 'hang' = ({ body }) => ({
    body: { tool_use_id: idOf(body), content: 'Sunny' },
  }),
): Promise<ToolServer> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
      };
      seen.push(one);
      const listed: Reply =
        typeof list === 'function' ? (list as (s: Seen) => Reply)(one) : { body: list };
      const reply = one.method === 'GET' ? listed : post(one);
      if (reply === 'drop') return request.socket.destroy();
      if (reply === 'hang') return undefined;
      const { status = 200, headers = {}, body } = reply;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add({
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/api/tools`,
    seen,
    posts: () => seen.filter(({ method }) => method === 'POST'),
  };
}

export function idOf(body: Record<string, unknown>): unknown {
  return (body['tool_use'] as { id?: unknown } | undefined)?.id;
}

export const identity = makeIdentity({ issuer: 'https://bulkhead.example' });

export function makeRemote(url: string, options: Partial<VertesiaRemoteOptions> = {}): Remote {
  const remote = makeVertesiaRemote({
    id: 'crm',
    options: { vertesia: url, allowPrivate: true, ...options },
    identity,
    pins: makePins(),
    network: {},
  });
  open.add({ close: () => remote.close() });
  return remote;
}

export function callOf(input: JsonObject = {}, more: Partial<RemoteCall> = {}): RemoteCall {
  return {
    callId: 'call_1',
    input,
    signal: AbortSignal.timeout(10_000),
    timeoutMs: 10_000,
    metadata: {},
    maxResultBytes: 10_000,
    ...more,
  };
}

/** Runs a tool of a remote that is loaded for it. */
export async function runRemote(
  remote: Remote,
  call: RemoteCall = callOf(),
  tool = 'weather',
): Promise<unknown> {
  const { tools, problems } = await remote.load(AbortSignal.timeout(10_000));
  const found = tools.find((one) => one.tool === tool);
  if (found === undefined) throw new Error(`there is no ${tool}: ${JSON.stringify(problems)}`);
  return found.run(call);
}
