import {
  coversEndpoint,
  DEFAULT_PORT,
  hasEndpoint,
  hostOf,
  type NetworkScope,
  type Scheme,
} from '../../sandbox/wire/network-scope.js';
import { type PermissionKind, invalidPermission } from './kind.js';

/** `fetch` to the named hosts. */
export const network: PermissionKind<NetworkScope> = {
  name: 'network',
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
    const target = scope.subdomains
      ? `every subdomain of ${scope.host} (not ${scope.host} itself)`
      : scope.host;
    const port = scope.port === undefined ? '' : `, port ${scope.port} only`;
    return `${what} ${target}${port}, ${SCHEME_WORDS[scope.scheme ?? 'both']}.`;
  },
};

const CLEARTEXT = 'cleartext http, which anyone on the way can read and change';

const SCHEME_WORDS = {
  https: 'over https',
  http: `over ${CLEARTEXT}`,
  both: `over https or ${CLEARTEXT}`,
};

// "*.example.com" does not cover "example.com", because another party often runs the apex.
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
  return schemes.map((scheme) => ({ scheme, port: scope.port ?? DEFAULT_PORT[scheme] }));
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
  // Two common endpoints: neither scope has a scheme, and both have the same port or none.
  if (common.length === 2) return { scheme: undefined, port: held.port };
  const port = first.port === DEFAULT_PORT[first.scheme] ? undefined : first.port;
  return { scheme: first.scheme, port };
}

function commonMethods(held: Methods, limit: Methods): Methods {
  if (held === undefined) return limit;
  return limit === undefined ? held : held.filter((method) => limit.includes(method));
}

/**
 * A network permission is written as
 *
 * ```
 *   [methods ] [scheme://] [*.]host [:port]
 *
 *   api.example.com               https and http, each on its default port
 *   *.example.com                 its subdomains, not example.com itself
 *   api.example.com:8443          that port only
 *   https://api.example.com       that scheme only
 *   GET,HEAD api.example.com      those methods only
 *   192.0.2.7  [2001:db8::7]      an address
 * ```
 */
export function parseNetwork(text: string): NetworkScope {
  const refuse = (why: string): Error => invalidPermission('network', text, why);
  if (text.length > MAX_TEXT) throw refuse(`it is longer than ${MAX_TEXT} characters.`);
  const words = text.trim().split(/\s+/);
  const target = words.at(-1) ?? '';
  if (words.length > 2) throw refuse(`${FORM}, with methods and one space before it.`);
  const [, scheme, rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(target) ?? [];
  const { name, port } = splitPort(rest, refuse);
  const subdomains = name.startsWith('*.');
  const host = parseHost(subdomains ? name.slice(2) : name, refuse);
  if (subdomains) refuseWide(host, refuse);
  const checkedScheme = parseScheme(scheme, refuse);
  return {
    methods: words.length === 2 ? parseMethods(words[0] ?? '', refuse) : undefined,
    scheme: checkedScheme,
    subdomains,
    host,
    port: checkedScheme !== undefined && port === DEFAULT_PORT[checkedScheme] ? undefined : port,
  };
}

function formatNetwork(scope: NetworkScope): string {
  const methods = scope.methods === undefined ? '' : `${scope.methods.join(',')} `;
  const scheme = scope.scheme === undefined ? '' : `${scope.scheme}://`;
  const port = scope.port === undefined ? '' : `:${scope.port}`;
  return `${methods}${scheme}${scope.subdomains ? '*.' : ''}${scope.host}${port}`;
}

const MAX_TEXT = 1024;
const FORM = 'write a host, like "api.example.com" or "api.example.com:8443"';

type Refuse = (why: string) => Error;

function parseScheme(text: string | undefined, refuse: Refuse): Scheme | undefined {
  const scheme = text?.toLowerCase();
  if (scheme === undefined || scheme === 'http' || scheme === 'https') return scheme;
  throw refuse('only https and http are supported. Use one of them.');
}

function splitPort(text: string, refuse: Refuse): { name: string; port: number | undefined } {
  if (/[/?#\\]/.test(text)) throw refuse('it names hosts, not paths. Remove the path.');
  if (text.includes('@')) throw refuse('it names hosts. Remove the user and password.');
  const [, name = '', digits] = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/s.exec(text) ?? [];
  if (name === '') throw refuse(`${FORM}. Write an IPv6 address in brackets.`);
  if (digits === undefined) return { name, port: undefined };
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw refuse('a port is a number from 1 to 65535.');
  return { name, port };
}

const ADDRESS = /^\[.*\]$|^\d+\.\d+\.\d+\.\d+$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

function parseHost(text: string, refuse: Refuse): string {
  if (text.includes('*')) {
    throw refuse(
      text === '*'
        ? 'it would cover every host. Name each host, like "api.example.com".'
        : '"*" means all subdomains and is valid only in front: "*.example.com".',
    );
  }
  // The same parser reads the URLs of requests, so that both are normalized alike.
  const url =
    text.includes('%') || !URL.canParse(`http://${text}`) ? undefined : new URL(`http://${text}`);
  const host = url?.hostname.replace(/\.$/, '') ?? '';
  if (ADDRESS.test(host)) return host;
  if (host.length > 253 || !host.split('.').every((label) => LABEL.test(label))) {
    throw refuse(`${FORM}.`);
  }
  return host;
}

// Anyone can register a name below a top-level domain.
function refuseWide(host: string, refuse: Refuse): void {
  if (ADDRESS.test(host)) throw refuse('an address has no subdomains. Remove the "*.".');
  if (!host.includes('.')) {
    throw refuse(`it would cover all of .${host}. Name a domain, like "*.example.${host}".`);
  }
}

const METHOD = /^[A-Z][A-Z-]{0,30}$/;
/** Methods that open a tunnel or echo the request's headers. The broker never sends them. */
const NEVER_SENT = new Set(['CONNECT', 'TRACE', 'TRACK']);

function parseMethods(text: string, refuse: Refuse): readonly string[] {
  const methods = [...new Set(text.toUpperCase().split(','))].toSorted();
  if (methods.length > 16 || !methods.every((method) => METHOD.test(method))) {
    throw refuse('methods go before the host, like "GET,HEAD api.example.com".');
  }
  const never = methods.find((method) => NEVER_SENT.has(method));
  if (never !== undefined) throw refuse(`${never} is never sent. Remove it.`);
  return methods;
}

/** Returns the text of the scope that allows a request. Its time grows only with the host's labels. */
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
    const allows = (scope: NetworkScope): boolean => coversEndpoint(scope, url, method);
    const host = hostOf(url);
    let found = hosts.get(host)?.find(allows);
    for (let dot = host.indexOf('.'); found === undefined && dot !== -1;) {
      // guard: wildcard-excludes-apex
      found = domains.get(host.slice(dot + 1))?.find(allows);
      dot = host.indexOf('.', dot + 1);
    }
    return found === undefined ? undefined : network.format(found);
  };
}
