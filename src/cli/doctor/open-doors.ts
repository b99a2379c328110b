import type { ConfigFile } from '../../http/config.js';
import type { CliCapabilities } from '../capabilities.js';
import { DEFAULT_FILE } from '../serve/config-file.js';

/** Longest wait for a server that may run, in milliseconds. */
const PROBE_MS = 1_000;
const DEFAULT_PORT = 4173;

/**
 * The endpoints that callers may use without a token, as sentences: by the configuration, and by a
 * request without a token to the server that runs at the configured port, if one does.
 */
export async function findOpenDoors(
  settings: { readonly config?: string },
  { server = {} }: ConfigFile,
  capabilities: Pick<CliCapabilities, 'http'>,
): Promise<string[]> {
  const url = `http://127.0.0.1:${server.port ?? DEFAULT_PORT}`;
  const file = settings.config ?? DEFAULT_FILE;
  return [
    ...(server.openLoopback === true
      ? [
          `${file} sets server.openLoopback: every process of this machine can call and view without a token. Remove it to require the tokens.`,
        ]
      : []),
    ...((await answersWithoutToken(url, capabilities))
      ? [
          `the server at ${url} was started with --open-loopback: every process of this machine can call and view without a token.`,
        ]
      : []),
  ];
}

async function answersWithoutToken(
  url: string,
  { http }: Pick<CliCapabilities, 'http'>,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PROBE_MS);
  });
  const answer = http(`${url}/api/plugins`, { method: 'GET', token: '' }).then(
    ({ status }) => status === 200,
    // No server runs there.
    () => false,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
