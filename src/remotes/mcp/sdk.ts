import type * as sdk from '@modelcontextprotocol/client';
import type * as stdioSdk from '@modelcontextprotocol/client/stdio';
import { BulkheadError } from '../../errors.js';

/** MCP's own package, loaded at the first use. */
export type McpClientSdk = typeof sdk & Pick<typeof stdioSdk, 'getDefaultEnvironment'>;

/** Throws `INVALID_OPTIONS` if the package is not installed, and says how to install it. */
export async function loadClientSdk(): Promise<McpClientSdk> {
  try {
    const [client, { getDefaultEnvironment }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...client, getDefaultEnvironment };
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'Tools of MCP servers need a package that is not installed. To fix this, run: npm i @modelcontextprotocol/client@^2.4',
      { option: 'remotes' },
      { cause: error },
    );
  }
}
