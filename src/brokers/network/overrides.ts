import { BulkheadError } from '../../errors.js';
import { hostOf, portOf, withoutRootDot } from './addresses.js';

/**
 * The operator serves a host at another address: `api.example.test` at `http://127.0.0.1:8080`, for
 * every port and scheme. The plugin sees its own URL, and the server its own Host header. Address and
 * name are not checked. The plugin still needs a grant that covers the URL.
 */
export interface HostOverride {
  readonly host: string;
  /** An `http:` or `https:` origin. For `https:`, the certificate must be the host's own. */
  readonly url: string;
}

/** The address that serves a host. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Parses an operator's overrides. Throws `INVALID_OPTIONS`. */
export function parseOverrides(overrides: readonly HostOverride[]): ReadonlyMap<string, Place> {
  return new Map(
    overrides.map(({ host, url }) => {
      // An IPv6 address may be written with or without brackets.
      const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
      return [parseHost(name), parsePlace(host, url)];
    }),
  );
}

function parseHost(host: string): string {
  const href = `http://${host}/`;
  const url = URL.canParse(href) ? withoutRootDot(new URL(href)) : undefined;
  if (url === undefined || url.host !== url.hostname || url.href !== `http://${url.hostname}/`) {
    throw invalid(`The host override ${host} does not name a host alone, without a port or path.`);
  }
  return hostOf(url);
}

function parsePlace(host: string, text: string): Place {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.href !== `${url.origin}/`
  ) {
    throw invalid(
      `The host override for ${host} leads to ${text}: write an origin, as in http://127.0.0.1:8080.`,
    );
  }
  return { host: hostOf(url), port: portOf(url), secure: url.protocol === 'https:' };
}

function invalid(message: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', message, { option: 'hostOverrides' });
}

/** Throws `INVALID_OPTIONS` for an invalid override or proxy. */
export function checkNetworkOptions({
  overrides = [],
  proxy,
}: {
  readonly overrides?: readonly HostOverride[];
  readonly proxy?: string;
}): void {
  parseOverrides(overrides);
  if (proxy !== undefined) parseProxyUrl(proxy);
}

/** Parses a proxy's URL. Throws `INVALID_OPTIONS`. */
export function parseProxyUrl(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url !== undefined && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'The proxy is not an http: or https: URL, as in http://proxy.example:3128.',
    { option: 'proxy' },
  );
}
