import { hostOf } from '../../brokers/network/addresses.js';
import type { NetworkLimits } from '../../brokers/limits.js';
import { makeRemoteOrigin, type Origin, type OriginSpec } from '../origin.js';
import type { McpHttpOptions } from '../remote.js';
import { makeFetch } from './fetch.js';

/** The remote that a login is for. */
export interface LoginFetchSpec {
  readonly id: string;
  readonly options: McpHttpOptions;
  readonly network: OriginSpec['network'];
  readonly onEvent?: OriginSpec['onEvent'];
}

/** Servers of one login. Stops documents that each name another server. */
const MAX_ORIGINS = 8;

const LIMITS: Partial<NetworkLimits> = {
  headersMs: 15_000,
  idleMs: 15_000,
  totalMs: 30_000,
  maxResponseBytes: 1024 * 1024,
};

/**
 * `fetch` for the requests of a login. The MCP server names where they go, so that every address follows the
 * network broker's rules: only `https:`, and no private address. The host of the MCP server itself is allowed
 * as the operator registered it. The configured headers of the remote are not sent.
 */
export function makeLoginFetch({ id, options, network, onEvent }: LoginFetchSpec): {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly close: () => Promise<void>;
} {
  const server = new URL(options.mcp);
  const origins = new Map<string, Origin>();
  const originOf = (url: URL): Origin => {
    const known = origins.get(url.origin);
    if (known !== undefined) return known;
    const isOwn = hostOf(url) === hostOf(server);
    // guard: login-https-only
    if (url.protocol !== 'https:' && !(isOwn && url.protocol === server.protocol)) {
      throw new Error(`${url.origin} is not at https:`);
    }
    // guard: login-origins-cap
    if (origins.size >= MAX_ORIGINS) throw new Error(`it uses more than ${MAX_ORIGINS} servers`);
    const origin = makeRemoteOrigin(
      {
        id,
        // guard: login-no-private-address
        options: { allowPrivate: isOwn && options.allowPrivate === true },
        network,
        ...(onEvent === undefined ? {} : { onEvent }),
      },
      url.origin,
      LIMITS,
    );
    origins.set(url.origin, origin);
    return origin;
  };
  return {
    fetch: async (url, init) => makeFetch(originOf(new URL(url)))(url, init),
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}
