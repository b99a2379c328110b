import type * as sdk from '@modelcontextprotocol/client';
import type * as stdioSdk from '@modelcontextprotocol/client/stdio';
import { BulkheadError } from '../../errors.js';

/** What MCP's own package gives us. It is loaded when it is first needed. */
export type McpClientSdk = typeof sdk & Pick<typeof stdioSdk, 'StdioClientTransport'>;

/** Throws `INVALID_OPTIONS` with how to install it, where it is not. */
export async function loadClientSdk(): Promise<McpClientSdk> {
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
