import { closest } from './closest.js';
import type { Grant } from './grant.js';
import { network } from './network.js';
import { OWN_PORT, type NetworkScope } from './network-scope.js';
import { hostOf, portOf, schemeOf } from './network-table.js';

export interface NetworkRequest {
  readonly url: URL;
  readonly method: string;
}

export type NetworkDecision =
  | { readonly allowed: true; /** The scope that allows it. */ readonly by: string }
  | {
      readonly allowed: false;
      /** The network permission that would allow it, to put into the remedy. */
      readonly wanted: string;
      readonly granted: readonly string[];
      /** A granted scope that was perhaps meant: one that differs by a typing error, a port … */
      readonly closeMatch?: string;
    };

/** Whether the grant allows the request. Says nothing of where the name leads: the broker checks. */
export function decideNetwork(grant: Grant, request: NetworkRequest): NetworkDecision {
  const by = grant.scopeFor(request.url, request.method);
  if (by !== undefined) return { allowed: true, by };
  const granted = grant.permissions.network;
  const scopes = granted.map(network.parse);
  const host = hostOf(request.url);
  const near = nearest(host, scopes);
  return {
    allowed: false,
    wanted: wantedText(request, host, scopes),
    granted,
    ...(near === undefined ? {} : { closeMatch: network.format(near) }),
  };
}

function nearest(host: string, scopes: readonly NetworkScope[]): NetworkScope | undefined {
  const related = scopes.find((scope) => scope.host === host || host.endsWith(`.${scope.host}`));
  if (related !== undefined) return related;
  const name = closest(
    host,
    scopes.map((scope) => scope.host),
  );
  return scopes.find((scope) => scope.host === name);
}

function wantedText(
  { url, method }: NetworkRequest,
  host: string,
  scopes: readonly NetworkScope[],
): string {
  const scheme = schemeOf(url);
  if (scheme === undefined) return url.protocol;
  const port = portOf(url, scheme);
  const ownPort = port === OWN_PORT[scheme];
  // Who limited this host to some methods, or to https, is not told to drop the limit.
  const limited = scopes.some((scope) => scope.host === host && scope.methods !== undefined);
  return network.format({
    methods: limited ? [method.toUpperCase()] : undefined,
    scheme: scheme === 'http' && ownPort ? 'http' : undefined,
    subdomains: false,
    host,
    port: ownPort ? undefined : port,
  });
}
