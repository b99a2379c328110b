import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../engine/engine-api.js';
import { loadSdk, loadStdioSdk, makeServers, type McpOptions } from './mcp/server.js';

export type { McpOptions } from './mcp/server.js';

/** An engine's tools for MCP clients over HTTP, in the current and in older versions of the protocol. */
export interface McpHandler {
  fetch(request: Request): Promise<Response>;
  /** Resolves when it can serve. Rejects with `INVALID_OPTIONS` if MCP's package is not installed. */
  ready(): Promise<void>;
  /** Whether a request only subscribes to changes. Such a request may stay open without limit. */
  isSubscription(request: Request): boolean;
  /** Ends all subscriptions. Calls in progress continue. */
  endSubscriptions(): void;
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog to MCP clients over streamable HTTP. The handler does not authenticate
 * callers and does not check hosts or origins: its server does.
 *
 * If a tool needs approval and the host does not answer (`engine.approvals.attended`), the client's user
 * approves it by elicitation, for low and medium risk. The answer is bound to that tool and input. Other
 * calls become questions of `engine.approvals`; the client repeats the call when they are answered.
 */
export function createMcpHandler(engine: Engine, options: McpOptions = {}): McpHandler {
  const open = async (): Promise<Opened> => {
    const sdk = await loadSdk();
    const handler = sdk.createMcpHandler(makeServers(sdk, engine, options), {
      maxRequestBodySize: options.maxBodyBytes ?? 1024 * 1024,
      maxSubscriptions: options.maxListeners ?? 256,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    });
    const unsubscribe = engine.catalog.on('change', () => handler.notify.toolsChanged());
    return {
      fetch: (request) => handler.fetch(request),
      close: () => {
        unsubscribe();
        return handler.close();
      },
    };
  };
  let opened: Promise<Opened> | undefined;
  const subscriptions = new AbortController();
  const once = (): Promise<Opened> => (opened ??= open());
  return {
    fetch: async (request) => {
      const handler = await once();
      if (!isSubscription(request)) return handler.fetch(request);
      return handler.fetch(withSignal(request, subscriptions.signal));
    },
    ready: async () => {
      await once();
    },
    isSubscription,
    endSubscriptions: () => subscriptions.abort(),
    close: async () => {
      const handler = await opened?.catch(() => undefined);
      await handler?.close();
    },
  };
}

interface Opened {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** Since this version, a request whose body does not match the header is refused. */
const HEADERS_COUNT_SINCE = '2026-07-28';

function isSubscription({ headers }: Request): boolean {
  return (
    headers.get('mcp-method') === 'subscriptions/listen' &&
    // guard: listening-needs-known-version
    (headers.get('mcp-protocol-version') ?? '') >= HEADERS_COUNT_SINCE
  );
}

/** The request with a second signal. Copied field by field: servers pass their own `Request` classes. */
function withSignal(request: Request, signal: AbortSignal): Request {
  const { url, method, headers, body } = request;
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers,
    body,
    duplex: 'half',
    signal: AbortSignal.any([request.signal, signal]),
  };
  return new Request(url, init);
}

/** A connection over standard input and output. */
export interface McpStdio {
  /** Resolves when the client disconnects, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog to the MCP client that started this process. Only the protocol may write to
 * standard output. Rejects with `INVALID_OPTIONS` if MCP's package is not installed.
 */
export async function serveMcpStdio(engine: Engine, options: McpOptions = {}): Promise<McpStdio> {
  const [sdk, { serveStdio, StdioServerTransport }] = await Promise.all([
    loadSdk(),
    loadStdioSdk(),
  ]);
  const makeServer = makeServers(sdk, engine, options);
  // The SDK may create a server to detect the client's version and replace it: only the last is notified.
  let current: Server | undefined;
  const transport = new StdioServerTransport();
  const handle = serveStdio(
    () => {
      current = makeServer();
      return current;
    },
    { transport, ...(options.onError === undefined ? {} : { onerror: options.onError }) },
  );
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const unsubscribe = engine.catalog.on('change', () => {
    current?.sendToolListChanged().catch(() => {});
  });
  return {
    closed,
    close: () => {
      unsubscribe();
      return handle.close();
    },
  };
}
