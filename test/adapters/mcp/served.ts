import { afterEachFile } from '../../tidying.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpHandler, type McpHandler, type McpOptions } from '../../../src/adapters/mcp.js';
import type { Engine, EngineOptions } from '../../../src/index.js';
import { makeDirectory, makePlugin, startEngine } from '../../engine/plugin-on-disk.js';

const source = `
const tool = (id, execute, more = {}) =>
  ({ id, name: id + ' title', description: 'Does ' + id, annotations: { readOnlyHint: true }, execute, ...more });
export const tools = [
  tool('echo', (input) => input, { parameters: { type: 'object', properties: { n: { type: 'number' } } } }),
  tool('text', () => 'hello'),
  tool('throws', () => { throw new Error('the pump is broken') }),
  tool('slow', (input, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('gave up')))),
  tool('asks', ({ n }) => 'ran with ' + n, { annotations: { readOnlyHint: false, destructiveHint: false } }),
  tool('wipes', ({ n }) => 'wiped ' + n, { annotations: { readOnlyHint: false, destructiveHint: true } }),
];`;

const open: { close(): Promise<unknown> }[] = [];
afterEachFile(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

export const url: URL = new URL('http://127.0.0.1/mcp');

export interface ServedMcp {
  readonly engine: Engine;
  readonly handler: McpHandler;
  readonly directory: string;
}

export async function serveMcp(
  options: McpOptions = {},
  engineOptions: Partial<EngineOptions> = {},
  more: readonly string[] = [],
): Promise<ServedMcp> {
  const directory = makePlugin({ id: 'sample', source });
  const engine = await startEngine([directory, ...more], {
    config: { sample: { requireApproval: { asks: true, wipes: true } } },
    storageDirectory: makeDirectory(),
    ...engineOptions,
  });
  const handler = createMcpHandler(engine, options);
  open.push(handler);
  return { engine, handler, directory };
}

/** A client of the protocol as it is, connected. */
export async function connect(
  { handler }: ServedMcp,
  elicit?: (params: { message?: string }) => unknown,
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
    },
  );
  if (elicit !== undefined) {
    client.setRequestHandler('elicitation/create', (request) => elicit(request.params) as never);
  }
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchOf(handler) }));
  open.push(client);
  return client;
}

/** A client of the protocol as it was. */
export async function connectOld({ handler }: ServedMcp): Promise<OldClient> {
  const client = new OldClient({ name: 'test', version: '1' });
  await client.connect(new OldTransport(url, { fetch: fetchOf(handler) }));
  open.push(client);
  return client;
}

function fetchOf(handler: McpHandler) {
  return (to: string | URL, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(to, init));
}
