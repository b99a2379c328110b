import type { Engine } from '../../engine/engine-api.js';
import type { McpOptions } from './options.js';
import { loadSdk } from './sdk.js';
import { makeServers } from './server.js';

/** An engine's tools for MCP's clients over HTTP, of both eras of the protocol. */
export interface McpHandler {
  fetch(request: Request): Promise<Response>;
  /** Resolves once it can serve. Rejects `INVALID_OPTIONS` where MCP's package is not installed. */
  ready(): Promise<void>;
  /** Whether a request only listens for changes. */
  lasts(request: Request): boolean;
  /** Ends what only listens for changes; calls under way go on. */
  quiet(): void;
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog to MCP's clients over streamable HTTP. Whoever mounts it decides who
 * may call it, and which hosts and origins: it does not.
 *
 * A tool that asks before it runs is asked about at the client's side, by elicitation, where the
 * engine has nobody to ask and the client has somebody: the answer is bound to that tool and input.
 */
export function createMcpHandler(engine: Engine, options: McpOptions = {}): McpHandler {
  const open = async (): Promise<Opened> => {
    const sdk = await loadSdk();
    const handler = sdk.createMcpHandler(makeServers(sdk, engine, options), {
      maxRequestBodySize: options.maxBodyBytes ?? 1024 * 1024,
      maxSubscriptions: options.maxListeners ?? 256,
      ...(options.onError === undefined ? {} : { onerror: options.onError }),
    });
    const forget = engine.catalog.on('change', () => handler.notify.toolsChanged());
    return {
      fetch: (request) => handler.fetch(request),
      close: () => {
        forget();
        return handler.close();
      },
    };
  };
  let opened: Promise<Opened> | undefined;
  const quieted = new AbortController();
  const once = (): Promise<Opened> => (opened ??= open());
  return {
    fetch: async (request) => {
      const handler = await once();
      if (!listens(request)) return handler.fetch(request);
      return handler.fetch(withSignal(request, quieted.signal));
    },
    ready: async () => {
      await once();
    },
    lasts: listens,
    quiet: () => quieted.abort(),
    close: async () => {
      const handler = await opened?.catch(() => undefined);
      await handler?.close();
    },
  };
}

/**
 * The protocol has this header say what the body does, and refuses a body that does something else.
 * In its older versions the header says nothing, and the body anything.
 */
function listens({ headers }: Request): boolean {
  return (
    headers.get('mcp-method') === 'subscriptions/listen' &&
    (headers.get('mcp-protocol-version') ?? '') >= HEADERS_COUNT_SINCE
  );
}

const HEADERS_COUNT_SINCE = '2026-07-28';

/** The same request, given up when either is. Made from its parts: servers bring requests of their own. */
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

interface Opened {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}
