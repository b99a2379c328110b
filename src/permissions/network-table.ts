import { hasEndpoint, network } from './network.js';
import { OWN_PORT, type NetworkScope, type Scheme } from './network-scope.js';

/** Finds the text of the scope that allows a request, in time that grows with the name's labels only. */
export type NetworkTable = (url: URL, method: string | undefined) => string | undefined;

export function makeNetworkTable(texts: readonly string[]): NetworkTable {
  const hosts = new Map<string, NetworkScope[]>();
  const domains = new Map<string, NetworkScope[]>();
  for (const text of texts) {
    const scope = network.parse(text);
    const table = scope.subdomains ? domains : hosts;
    const scopes = table.get(scope.host) ?? [];
    table.set(scope.host, [...scopes, scope]);
  }
  return (url, method) => {
    const scheme = schemeOf(url);
    if (scheme === undefined) return undefined;
    const port = portOf(url, scheme);
    const fits = (scope: NetworkScope): boolean =>
      hasEndpoint(scope, scheme, port) && allowsMethod(scope, method);
    const host = hostOf(url);
    let found = hosts.get(host)?.find(fits);
    for (let dot = host.indexOf('.'); found === undefined && dot !== -1;) {
      found = domains.get(host.slice(dot + 1))?.find(fits);
      dot = host.indexOf('.', dot + 1);
    }
    return found === undefined ? undefined : network.format(found);
  };
}

export function schemeOf(url: URL): Scheme | undefined {
  if (url.protocol === 'https:') return 'https';
  return url.protocol === 'http:' ? 'http' : undefined;
}

export function portOf(url: URL, scheme: Scheme): number {
  return url.port === '' ? OWN_PORT[scheme] : Number(url.port);
}

/** `example.com.` with its final dot names the same host as without. */
export function hostOf(url: URL): string {
  return url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
}

function allowsMethod(scope: NetworkScope, method: string | undefined): boolean {
  if (scope.methods === undefined || method === undefined) return true;
  return scope.methods.includes(method.toUpperCase());
}
