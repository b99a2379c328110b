import type * as sdk from '@modelcontextprotocol/server';
import type * as stdioSdk from '@modelcontextprotocol/server/stdio';
import { BulkheadError } from '../../errors.js';

/** What MCP's own package gives us. It is loaded when it is first needed. */
export type McpSdk = typeof sdk;
export type McpStdioSdk = typeof stdioSdk;

/** Throws `INVALID_OPTIONS` with how to install it, where it is not. */
export function loadSdk(): Promise<McpSdk> {
  return import('@modelcontextprotocol/server').catch(explain);
}

export function loadStdioSdk(): Promise<McpStdioSdk> {
  return import('@modelcontextprotocol/server/stdio').catch(explain);
}

function explain(error: unknown): never {
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'Serving MCP needs a package that is not installed. To fix this, run: npm i @modelcontextprotocol/server@^2.4',
    { option: 'mcp' },
    { cause: error },
  );
}
