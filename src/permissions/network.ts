import type { PermissionKind } from './kind.js';
import { OWN_PORT, type NetworkScope, type Scheme } from './network-scope.js';
import { formatNetwork, parseNetwork } from './network-text.js';

/** `fetch`, to the hosts that are named. */
export const network: PermissionKind<NetworkScope> = {
  name: 'network',
  written: 'network',
  parse: parseNetwork,
  format: formatNetwork,
  covers: (held, wanted) =>
    coversHost(held, wanted) &&
    coversMethods(held.methods, wanted.methods) &&
    endpoints(wanted).every((endpoint) => hasEndpoint(held, endpoint.scheme, endpoint.port)),
  attenuate: (held, limit) => {
    const host = narrowerHost(held, limit);
    const endpoint = commonEndpoint(held, limit);
    if (host === undefined || endpoint === undefined) return undefined;
    const methods = commonMethods(held.methods, limit.methods);
    if (methods?.length === 0) return undefined;
    return { methods, ...endpoint, subdomains: host.subdomains, host: host.host };
  },
  explain: (scope) => {
    const what =
      scope.methods === undefined ? 'Connect to' : `Send ${scope.methods.join(', ')} requests to`;
    const where = scope.subdomains
      ? `every subdomain of ${scope.host} (not ${scope.host} itself)`
      : scope.host;
    const port = scope.port === undefined ? '' : `, port ${scope.port} only`;
    return `${what} ${where}${port}, ${SCHEME_WORDS[scope.scheme ?? 'both']}.`;
  },
};

/** Whether the scope reaches that port by that scheme. */
export function hasEndpoint(scope: NetworkScope, scheme: Scheme, port: number): boolean {
  return (
    (scope.scheme === undefined || scope.scheme === scheme) &&
    port === (scope.port ?? OWN_PORT[scheme])
  );
}

const CLEARTEXT = 'cleartext http, which anyone on the way can read and change';

const SCHEME_WORDS = {
  https: 'over https',
  http: `over ${CLEARTEXT}`,
  both: `over https or ${CLEARTEXT}`,
};

// "*.example.com" does not cover "example.com": the apex is often run by someone else.
function coversHost(held: NetworkScope, wanted: NetworkScope): boolean {
  if (held.host === wanted.host) return held.subdomains === wanted.subdomains;
  return held.subdomains && wanted.host.endsWith(`.${held.host}`);
}

function coversMethods(held: Methods, wanted: Methods): boolean {
  if (held === undefined) return true;
  return wanted !== undefined && wanted.every((method) => held.includes(method));
}

type Methods = readonly string[] | undefined;

interface Endpoint {
  readonly scheme: Scheme;
  readonly port: number;
}

function endpoints(scope: NetworkScope): readonly Endpoint[] {
  const schemes: readonly Scheme[] =
    scope.scheme === undefined ? ['https', 'http'] : [scope.scheme];
  return schemes.map((scheme) => ({ scheme, port: scope.port ?? OWN_PORT[scheme] }));
}

function narrowerHost(held: NetworkScope, limit: NetworkScope): NetworkScope | undefined {
  if (coversHost(held, limit)) return limit;
  return coversHost(limit, held) ? held : undefined;
}

function commonEndpoint(
  held: NetworkScope,
  limit: NetworkScope,
): Pick<NetworkScope, 'scheme' | 'port'> | undefined {
  const common = endpoints(held).filter(({ scheme, port }) => hasEndpoint(limit, scheme, port));
  const [first] = common;
  if (first === undefined) return undefined;
  // Two in common means that both scopes have no scheme and the same port, or none.
  if (common.length === 2) return { scheme: undefined, port: held.port };
  const port = first.port === OWN_PORT[first.scheme] ? undefined : first.port;
  return { scheme: first.scheme, port };
}

function commonMethods(held: Methods, limit: Methods): Methods {
  if (held === undefined) return limit;
  return limit === undefined ? held : held.filter((method) => limit.includes(method));
}
