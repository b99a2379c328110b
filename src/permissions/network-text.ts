import { invalidPermission } from './invalid.js';
import { OWN_PORT, type NetworkScope, type Scheme } from './network-scope.js';

/**
 * A network permission is written as
 *
 * ```
 *   [methods ] [scheme://] [*.]host [:port]
 *
 *   api.example.com               https and http, each on its own port
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
    port: checkedScheme !== undefined && port === OWN_PORT[checkedScheme] ? undefined : port,
  };
}

export function formatNetwork(scope: NetworkScope): string {
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
  throw refuse('only https and http requests can be made.');
}

function splitPort(text: string, refuse: Refuse): { name: string; port: number | undefined } {
  if (/[/?#\\]/.test(text)) throw refuse('it names hosts, not paths. Leave the path out.');
  if (text.includes('@')) throw refuse('it names hosts. Leave user and password out.');
  const [, name = '', digits] = /^(\[.*\]|[^:]*)(?::(\d{1,5}))?$/s.exec(text) ?? [];
  if (name === '') throw refuse(`${FORM}. An IPv6 address goes in brackets.`);
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
        ? 'it would cover every host there is. Name each host, like "api.example.com".'
        : 'a "*" stands for subdomains, and only in front: "*.example.com".',
    );
  }
  // The parser that reads the requests' own URLs: both sides of a comparison come out alike.
  const url =
    text.includes('%') || !URL.canParse(`http://${text}`) ? undefined : new URL(`http://${text}`);
  const host = url?.hostname.replace(/\.$/, '') ?? '';
  if (ADDRESS.test(host)) return host;
  if (host.length > 253 || !host.split('.').every((label) => LABEL.test(label))) {
    throw refuse(`${FORM}.`);
  }
  return host;
}

// A whole top-level domain is everybody's: whoever wants the data registers a name below it.
function refuseWide(host: string, refuse: Refuse): void {
  if (ADDRESS.test(host)) throw refuse('an address has no subdomains.');
  if (!host.includes('.')) {
    throw refuse(`it would cover all of .${host}. Name a domain, like "*.example.${host}".`);
  }
}

const METHOD = /^[A-Z][A-Z-]{0,30}$/;
/** They open a tunnel or echo the request's headers; no broker of ours sends them. */
const NEVER_SENT = new Set(['CONNECT', 'TRACE', 'TRACK']);

function parseMethods(text: string, refuse: Refuse): readonly string[] {
  const methods = [...new Set(text.toUpperCase().split(','))].toSorted();
  if (methods.length > 16 || !methods.every((method) => METHOD.test(method))) {
    throw refuse('methods go before the host, like "GET,HEAD api.example.com".');
  }
  const never = methods.find((method) => NEVER_SENT.has(method));
  if (never !== undefined) throw refuse(`${never} is never sent.`);
  return methods;
}
