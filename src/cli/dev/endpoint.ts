import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Engine } from '../../engine/engine-api.js';
import type { ToolEndpoint } from '../../http/tool-endpoint.js';
import { shellWord } from '../../visible.js';
import type { CliCapabilities } from '../capabilities.js';
import { configDirectoryOf } from '../engine-options.js';
import { usageError } from '../failure.js';

export interface DevEndpoint extends ToolEndpoint {
  /** The file of the token, as a header that curl reads. */
  readonly tokenFile: string;
}

/**
 * Opens the JSON endpoint of a directory. Its token stays the same at each start. The token is in the user's
 * configuration directory, because the project's directory may be published.
 */
export async function openEndpoint(
  engine: Engine,
  { directory, port }: { readonly directory: string; readonly port: number },
  capabilities: Pick<CliCapabilities, 'environment' | 'readFile' | 'writeFile' | 'realPath'>,
): Promise<DevEndpoint> {
  const home = configDirectoryOf(capabilities);
  if (home === undefined) {
    throw usageError('--port', '--port stores a token below HOME, which is not set. Set HOME.');
  }
  const name = createHash('sha256')
    .update(await capabilities.realPath(directory))
    .digest('hex');
  const tokenFile = join(home, 'dev', `${name.slice(0, 16)}.header`);
  const former = await capabilities.readFile(tokenFile).catch(() => '');
  const token = /^Authorization: Bearer ([\w-]{16,})\n$/.exec(former)?.[1] ?? newToken();
  // Written each time, because an existing file may have a wider mode.
  await capabilities.writeFile(tokenFile, `Authorization: Bearer ${token}\n`);
  const { startToolEndpoint } = await import('../../http/tool-endpoint.js');
  return { ...(await startToolEndpoint(engine, { port, token })), tokenFile };
}

/** A command that calls a tool over the endpoint. */
export function curlLine(
  { url: endpoint, tokenFile }: DevEndpoint,
  tool: string,
  input: string,
): string {
  const [header, body, url] = [`@${tokenFile}`, input, `${endpoint}/tools/${tool}`].map(shellWord);
  return `curl -H ${header} --json ${body} ${url}`;
}

function newToken(): string {
  return randomBytes(24).toString('base64url');
}
