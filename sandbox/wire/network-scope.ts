/**
 * Requests to a host. A scope without a scheme covers https and http, because the formats promise that
 * for a bare name. The explanation then says that http is cleartext.
 */
export interface NetworkScope {
  /** Upper case, sorted, unique; `undefined`: any method. */
  readonly methods: readonly string[] | undefined;
  /** `undefined`: https and http. */
  readonly scheme: Scheme | undefined;
  /** The scope covers the host's subdomains, and not the host itself. */
  readonly subdomains: boolean;
  /** As `URL.hostname` has it (lower case, punycode, IPv6 in brackets), without a final dot. */
  readonly host: string;
  /** `undefined`: the default port of the scheme. */
  readonly port: number | undefined;
}

export type Scheme = 'http' | 'https';

export const DEFAULT_PORT: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

/** The parts of a URL that decide, as `URL` has them. */
export interface RequestTarget {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
}

/** Whether the scope covers the scheme and port. */
export function hasEndpoint(scope: NetworkScope, scheme: Scheme, port: number): boolean {
  return (
    (scope.scheme === undefined || scope.scheme === scheme) &&
    port === (scope.port ?? DEFAULT_PORT[scheme])
  );
}

/** Whether the scope covers the scheme, the port and the method of a request. It does not compare the host. */
export function coversEndpoint(
  scope: NetworkScope,
  target: RequestTarget,
  method: string | undefined,
): boolean {
  const scheme = schemeOf(target);
  if (scheme === undefined || !hasEndpoint(scope, scheme, portOf(target, scheme))) return false;
  if (scope.methods === undefined || method === undefined) return true;
  return scope.methods.includes(method.toUpperCase());
}

/** Whether the scope covers a request. */
export function coversRequest(scope: NetworkScope, target: RequestTarget, method: string): boolean {
  const host = hostOf(target);
  // guard: wildcard-excludes-apex-in-guest
  const isHost = scope.subdomains ? host.endsWith(`.${scope.host}`) : host === scope.host;
  return isHost && coversEndpoint(scope, target, method);
}

/** Removes a final dot: `example.com.` is the same host as `example.com`. */
export function hostOf({ hostname }: Pick<RequestTarget, 'hostname'>): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function schemeOf({ protocol }: RequestTarget): Scheme | undefined {
  if (protocol === 'https:') return 'https';
  return protocol === 'http:' ? 'http' : undefined;
}

function portOf({ port }: RequestTarget, scheme: Scheme): number {
  return port === '' ? DEFAULT_PORT[scheme] : Number(port);
}
