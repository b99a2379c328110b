import type { Client, JsonSchemaValidatorResult, Transport } from '@modelcontextprotocol/client';
import type { NetworkLimits } from '../../brokers/network/limits.js';
import { REMOTE_LIMITS } from '../limits.js';
import { makeOrigin, type OriginSpec } from '../origin.js';
import { makeFetch } from './fetch.js';
import type { McpRemoteOptions } from './options.js';
import { loadClientSdk, type McpClientSdk } from './sdk.js';

/** A client that is connected, and what it is connected by. */
export interface Connection {
  readonly client: Client;
  /** Whether the server has gone. */
  readonly closed: boolean;
  close(): Promise<void>;
}

export interface ConnectSpec {
  readonly id: string;
  readonly options: McpRemoteOptions;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
  readonly onToolsChanged: () => void;
}

/** Calls may take minutes, and say nothing meanwhile: their own deadline is what ends them. */
const LIMITS: Partial<NetworkLimits> = {
  headersMs: 600_000,
  idleMs: 600_000,
  totalMs: 3_600_000,
  maxResponseBytes: 16 * 1024 * 1024,
};

export async function connect(spec: ConnectSpec, signal: AbortSignal): Promise<Connection> {
  const sdk = await loadClientSdk();
  const { transport, close } = openTransport(sdk, spec);
  const client = new sdk.Client(
    { name: 'bulkhead', version: '1' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: REMOTE_LIMITS.discoveryMs } },
      // A server's output schemas are a stranger's, and the usual validator makes code of them.
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
    // Servers of the older kind tell without being asked to, and the others may not tell at all.
    if (client.getServerCapabilities()?.tools?.listChanged === true) {
      client.listen({ toolsListChanged: true }).catch(() => {});
    }
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

function openTransport(
  sdk: McpClientSdk,
  { id, options, network, onEvent }: ConnectSpec,
): { readonly transport: Transport; readonly close: () => Promise<void> } {
  if ('command' in options) {
    const { command, args = [], env = {}, cwd } = options;
    const transport = new sdk.StdioClientTransport({
      command,
      args: [...args],
      env: { ...env },
      stderr: 'ignore',
      ...(cwd === undefined ? {} : { cwd }),
    });
    return { transport, close: () => Promise.resolve() };
  }
  const url = new URL(options.mcp);
  const origin = makeOrigin({
    name: id,
    origin: url.origin,
    allowPrivate: options.allowPrivate ?? false,
    remedy: `add "allowPrivate": true to the remote ${id}`,
    limits: LIMITS,
    ...(network === undefined ? {} : { network }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  const transport = new sdk.StreamableHTTPClientTransport(url, {
    fetch: makeFetch(origin),
    requestInit: { headers: { ...options.headers } },
    reconnectionScheduler: reopen,
  });
  return { transport, close: () => origin.close() };
}

/** A server that ends its streams at once, and says "again in 0 ms", keeps nobody busy. */
function reopen(connectAgain: () => void, delayMs: number): () => void {
  const timer = setTimeout(connectAgain, Math.max(delayMs, REMOTE_LIMITS.reopenMs));
  timer.unref();
  return () => clearTimeout(timer);
}

/** Takes whatever comes: it is read, part by part, where it is used. */
function acceptAll<T>(): (input: unknown) => JsonSchemaValidatorResult<T> {
  const isTaken = (_input: unknown): _input is T => true;
  return (input) =>
    isTaken(input)
      ? { valid: true, data: input, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: '' };
}
