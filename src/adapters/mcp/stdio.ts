import type { Server } from '@modelcontextprotocol/server';
import type { Engine } from '../../engine/engine-api.js';
import type { McpOptions } from './options.js';
import { loadSdk, loadStdioSdk } from './sdk.js';
import { makeServers } from './server.js';

/** A connection over standard input and output. */
export interface McpStdio {
  close(): Promise<void>;
}

/**
 * Serves an engine's catalog to the MCP client that started this process. Standard output is the
 * protocol's: whatever else is written there breaks it. Rejects `INVALID_OPTIONS` where MCP's
 * package is not installed.
 */
export async function serveMcpStdio(engine: Engine, options: McpOptions = {}): Promise<McpStdio> {
  const [sdk, { serveStdio }] = await Promise.all([loadSdk(), loadStdioSdk()]);
  const makeServer = makeServers(sdk, engine, options);
  // One is made to look at what the client speaks, and may be thrown away: who is told is the last.
  let current: Server | undefined;
  const handle = serveStdio(
    () => {
      current = makeServer();
      return current;
    },
    options.onError === undefined ? {} : { onerror: options.onError },
  );
  const forget = engine.catalog.on('change', () => {
    current?.sendToolListChanged().catch(() => {});
  });
  return {
    close: () => {
      forget();
      return handle.close();
    },
  };
}
