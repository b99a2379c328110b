import type * as sdk from '@modelcontextprotocol/client';
import type { Client, JsonSchemaValidatorResult, Transport } from '@modelcontextprotocol/client';
import type * as stdioSdk from '@modelcontextprotocol/client/stdio';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { NetworkLimits } from '../../brokers/limits.js';
import { BulkheadError } from '../../errors.js';
import { REMOTE_LIMITS } from '../limits.js';
import { makeRemoteOrigin, type Origin, type OriginSpec } from '../origin.js';
import type { McpRemoteOptions } from '../remote.js';

/** A connected client. */
export interface Connection {
  readonly client: Client;
  /** Whether the server or this client closed the connection. */
  readonly closed: boolean;
  close(): Promise<void>;
}

export interface ConnectSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
  readonly onToolsChanged: () => void;
  /** The server announces changes, but refuses the stream that would report them (405 for GET). */
  readonly onNoStream: () => void;
}

/** A call may take minutes without output: its own deadline ends it. */
const LIMITS: Partial<NetworkLimits> = {
  headersMs: 600_000,
  idleMs: 600_000,
  totalMs: 3_600_000,
  maxResponseBytes: 16 * 1024 * 1024,
};

export async function connect(spec: ConnectSpec, signal: AbortSignal): Promise<Connection> {
  const mcp = await loadClientSdk();
  let hasStream = true;
  const reportNoStream = (): void => {
    const announces = client.getServerCapabilities()?.tools?.listChanged === true;
    if (!hasStream && announces) spec.onNoStream();
  };
  const { transport, close } = openTransport(mcp, spec, () => {
    hasStream = false;
    reportNoStream();
  });
  const client = new mcp.Client(
    { name: 'bulkhead', version: '1' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: REMOTE_LIMITS.discoveryMs } },
      // The default validator compiles schemas to code, and the server chooses its output schemas.
      jsonSchemaValidator: { getValidator: acceptAll },
    },
  );
  let closed = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a client has no other way
  client.onclose = () => {
    closed = true;
  };
  client.setNotificationHandler('notifications/tools/list_changed', spec.onToolsChanged);
  const end = async (): Promise<void> => {
    closed = true;
    await client.close().catch(() => {});
    await close();
  };
  try {
    await client.connect(transport, { timeout: REMOTE_LIMITS.startMs, signal });
    // Servers of older versions notify without a subscription. Others may not support one.
    if (client.getServerCapabilities()?.tools?.listChanged === true) {
      client.listen({ toolsListChanged: true }).catch(() => {});
    }
    reportNoStream();
  } catch (error) {
    await end();
    throw error;
  }
  return {
    client,
    get closed() {
      return closed;
    },
    close: end,
  };
}

/** MCP's own package, loaded at the first use. */
type McpClientSdk = typeof sdk & Pick<typeof stdioSdk, 'StdioClientTransport'>;

/** Throws `INVALID_OPTIONS` if the package is not installed, and says how to install it. */
async function loadClientSdk(): Promise<McpClientSdk> {
  try {
    const [client, { StdioClientTransport }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...client, StdioClientTransport };
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'Tools of MCP servers need a package that is not installed. To fix this, run: npm i @modelcontextprotocol/client@^2.4',
      { option: 'remotes' },
      { cause: error },
    );
  }
}

function openTransport(
  mcp: McpClientSdk,
  { id, options, network, onEvent }: ConnectSpec,
  onNoStream: () => void,
): { readonly transport: Transport; readonly close: () => Promise<void> } {
  if ('command' in options) {
    const { command, args = [], env = {}, cwd } = options;
    const transport = new mcp.StdioClientTransport({
      command,
      args: [...args],
      env: { ...env },
      stderr: 'ignore',
      ...(cwd === undefined ? {} : { cwd }),
    });
    return { transport, close: () => Promise.resolve() };
  }
  const url = new URL(options.mcp);
  const origin = makeRemoteOrigin({ id, options, network, onEvent }, url.origin, LIMITS);
  const transport = new mcp.StreamableHTTPClientTransport(url, {
    fetch: makeFetch(origin, onNoStream),
    requestInit: { headers: { ...options.headers } },
    reconnectionScheduler: reopen,
  });
  return { transport, close: () => origin.close() };
}

/** Stops a server that ends its streams at once and asks for a new one in 0 ms. */
function reopen(connectAgain: () => void, delayMs: number): () => void {
  // guard: stream-reopen-interval
  const timer = setTimeout(connectAgain, Math.max(delayMs, REMOTE_LIMITS.reopenMs));
  timer.unref();
  return () => clearTimeout(timer);
}

/** Accepts any value: each part is checked at its use. */
function acceptAll<T>(): (input: unknown) => JsonSchemaValidatorResult<T> {
  const isAny = (_input: unknown): _input is T => true;
  return (input) =>
    isAny(input)
      ? { valid: true, data: input, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: '' };
}

/** `fetch` for one origin, by the network broker's rules. */
function makeFetch(
  origin: Origin,
  onNoStream: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    const body = bytesOf(init.body);
    const reply = await origin.send(
      {
        url: String(url),
        method: init.method ?? 'GET',
        headers: [...new Headers(init.headers)],
        ...(body === undefined ? {} : { body }),
      },
      signal,
    );
    if (init.method === 'GET' && reply.status === 405) onNoStream();
    const stream = reply.body === undefined ? null : streamOf(reply.body);
    return new Response(WITHOUT_BODY.has(reply.status) ? null : stream, {
      status: reply.status,
      statusText: reply.statusText,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** MCP sends only text. */
function bytesOf(body: RequestInit['body']): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new TypeError('the body of a request to an MCP server must be a string');
}

function streamOf(source: ByteSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await source.pull();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => source.cancel(String(reason)),
  });
}
