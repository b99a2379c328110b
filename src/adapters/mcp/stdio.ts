import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine-api.js';
import type { McpOptions } from './options.js';
import { loadSdk, loadStdioSdk } from './sdk.js';
import { makeServers } from './server.js';

/** A connection over standard input and output. */
export interface McpStdio {
  /** Resolves once the client has gone, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog to the MCP client that started this process. Standard output is the
 * protocol's: whatever else is written there breaks it. Rejects `INVALID_OPTIONS` where MCP's
 * package is not installed.
 */
export async function serveMcpStdio(engine: Engine, options: McpOptions = {}): Promise<McpStdio> {
  const [sdk, { serveStdio, StdioServerTransport }] = await Promise.all([
    loadSdk(),
    loadStdioSdk(),
  ]);
  const makeServer = makeServers(sdk, engine, options);
  // One is made to look at what the client speaks, and may be thrown away: who is told is the last.
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
  const forget = engine.catalog.on('change', () => {
    current?.sendToolListChanged().catch(() => {});
  });
  return {
    closed,
    close: () => {
      forget();
      return handle.close();
    },
  };
}
