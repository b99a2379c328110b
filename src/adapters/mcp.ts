import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../engine/engine-api.js';
import { makeListenRequests, readListenMessages } from './mcp/listen-requests.js';
import { makeListenedResources } from './mcp/listened-resources.js';
import { loadSdk, loadStdioSdk, makeServers, type McpOptions } from './mcp/server.js';
import { makeSessions } from './mcp/sessions.js';

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
    const servers = makeServers(sdk, engine, options);
    const maxBodyBytes = options.maxBodyBytes ?? 1024 * 1024;
    const events = new sdk.InMemoryServerEventBus();
    const resources = makeListenedResources(servers.names, (uri) =>
      events.publish({ kind: 'resource_updated', uri }),
    );
    const listening = makeListenRequests({ mcp: sdk, maxBodyBytes, resources, events });
    const handler = sdk.createMcpHandler(servers.make, {
      bus: listening.bus,
      maxRequestBodySize: maxBodyBytes,
      maxSubscriptions: options.maxListeners ?? 256,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    });
    const sessions = makeSessions({
      mcp: sdk,
      makeServer: servers.make,
      maxSessions: options.maxSessions ?? 256,
      maxBodyBytes,
      idleMs: SESSION_IDLE_MS,
      now: Date.now,
    });
    const unsubscribe = onChanges(engine, (change) => {
      handler.notify[change]();
      sessions.forEach((server) => sendChange(server, change));
    });
    return {
      fetch: async (request) => (await sessions.fetch(request)) ?? handler.fetch(request),
      listen: async (request, signal) =>
        (await sessions.fetch(request)) ??
        listening.fetch(request, signal, (passed) => handler.fetch(passed)),
      endStreams: () => sessions.endStreams(),
      close: async () => {
        unsubscribe();
        resources.close();
        servers.close();
        await Promise.all([sessions.close(), handler.close()]);
      },
    };
  };
  let opened: Promise<Opened> | undefined;
  const subscriptions = new AbortController();
  const once = (): Promise<Opened> => (opened ??= open());
  return {
    fetch: async (request) => {
      const handler = await once();
      if (request.method === 'GET' || !isSubscription(request)) return handler.fetch(request);
      return handler.listen(request, subscriptions.signal);
    },
    ready: async () => {
      await once();
    },
    isSubscription,
    endSubscriptions: () => {
      subscriptions.abort();
      void opened?.then(({ endStreams }) => endStreams()).catch(() => {});
    },
    close: async () => {
      const handler = await opened?.catch(() => undefined);
      await handler?.close();
    },
  };
}

interface Opened {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly listen: (request: Request, signal: AbortSignal) => Promise<Response>;
  readonly endStreams: () => void;
  readonly close: () => Promise<void>;
}

/** Milliseconds without a request after which a session ends. */
const SESSION_IDLE_MS = 1_800_000;

type Change = 'toolsChanged' | 'resourcesChanged' | 'promptsChanged';

/** Reports changes of what is served. Returns how to stop. */
function onChanges(engine: Engine, report: (change: Change) => void): () => void {
  const stops = [
    engine.catalog.on('change', () => report('toolsChanged')),
    ...engine.mcpSources().map((source) =>
      source.onNotice(({ type }) => {
        if (type === 'resources-changed' || type === 'offers-changed') report('resourcesChanged');
        if (type === 'prompts-changed' || type === 'offers-changed') report('promptsChanged');
      }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Tells one client. A client that does not support the list, or has gone, is left alone. */
function sendChange(server: Server, change: Change): void {
  const sent =
    change === 'toolsChanged'
      ? server.sendToolListChanged()
      : change === 'resourcesChanged'
        ? server.sendResourceListChanged()
        : server.sendPromptListChanged();
  sent.catch(() => {});
}

/** Since this version, a request whose body does not match the header is refused. */
const HEADERS_COUNT_SINCE = '2026-07-28';

function isSubscription({ method, headers }: Request): boolean {
  // A client of an older version waits for messages of its session.
  if (method === 'GET' && headers.get('mcp-session-id') !== null) return true;
  return (
    headers.get('mcp-method') === 'subscriptions/listen' &&
    // guard: listening-needs-known-version
    (headers.get('mcp-protocol-version') ?? '') >= HEADERS_COUNT_SINCE
  );
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
  const servers = makeServers(sdk, engine, options);
  // The SDK may create a server to detect the client's version and replace it: only the last is notified.
  let current: Server | undefined;
  const transport = new StdioServerTransport();
  const handle = serveStdio(
    () => {
      current = servers.make();
      return current;
    },
    { transport, ...(options.onError === undefined ? {} : { onerror: options.onError }) },
  );
  const listened = makeListenedResources(servers.names, (uri) => {
    current?.sendResourceUpdated({ uri }).catch(() => {});
  });
  readListenMessages(transport, listened);
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no other way
    transport.onclose = () => {
      onclose?.();
      listened.close();
      servers.close();
      resolve();
    };
  });
  const unsubscribe = onChanges(engine, (change) => {
    if (current !== undefined) sendChange(current, change);
  });
  return {
    closed,
    close: () => {
      unsubscribe();
      return handle.close();
    },
  };
}
