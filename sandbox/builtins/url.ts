import { offer } from './denied.js';
import { fileURLToPath, pathToFileURL } from './file-urls.js';
import { parse as parseQuery, stringify, type Query } from './querystring.js';
import { toASCII, toUnicode } from './punycode.js';
import {
  always,
  compartmentGlobal,
  type UrlConstructor,
  type UrlLike,
} from './compartment-globals.js';

/** The result of the old `url.parse`. Every part may be absent. */
class Url {
  protocol: string | null = null;
  slashes: boolean | null = null;
  auth: string | null = null;
  host: string | null = null;
  port: string | null = null;
  hostname: string | null = null;
  hash: string | null = null;
  search: string | null = null;
  query: string | Query | null = null;
  pathname: string | null = null;
  path: string | null = null;
  href = '';
}

const SLASHED = new Set(['http:', 'https:', 'ftp:', 'file:', 'ws:', 'wss:', 'gopher:']);

function parse(text: string, parsesQuery = false, slashesDenoteHost = false): Url {
  const url = new Url();
  let rest = String(text).trim().replaceAll('\\', '/');
  const hashAt = rest.indexOf('#');
  if (hashAt >= 0) {
    url.hash = rest.slice(hashAt);
    rest = rest.slice(0, hashAt);
  }
  const searchAt = rest.indexOf('?');
  if (searchAt >= 0) {
    url.search = rest.slice(searchAt);
    rest = rest.slice(0, searchAt);
  }
  const scheme = /^([a-z][a-z0-9+.-]*:)/i.exec(rest)?.[1];
  if (scheme !== undefined) {
    url.protocol = scheme.toLowerCase();
    rest = rest.slice(scheme.length);
  }
  const isHostless = url.protocol === 'javascript:';
  if (rest.startsWith('//') && (scheme !== undefined || slashesDenoteHost) && !isHostless) {
    url.slashes = true;
    rest = takeAuthority(url, rest.slice(2));
  } else if (url.protocol !== null && !SLASHED.has(url.protocol) && !isHostless) {
    // `mailto:a@b.co` also has a host.
    rest = takeAuthority(url, rest);
  }
  const hasRoot = url.slashes === true && SLASHED.has(url.protocol ?? '');
  url.pathname = rest === '' ? (hasRoot ? '/' : null) : rest;
  const search = url.search ?? '';
  url.query = parsesQuery
    ? parseQuery(search.slice(1))
    : url.search === null
      ? null
      : search.slice(1);
  if (url.pathname !== null || url.search !== null) url.path = (url.pathname ?? '') + search;
  url.href = format(url);
  return url;
}

/** Parses `user:password@host:port` at the start. Returns the rest. */
function takeAuthority(url: Url, text: string): string {
  const end = text.indexOf('/');
  const authority = end < 0 ? text : text.slice(0, end);
  const at = authority.lastIndexOf('@');
  if (at >= 0) url.auth = decodeURIComponent(authority.slice(0, at));
  const host = authority.slice(at + 1).toLowerCase();
  const port = /:(\d*)$/.exec(host)?.[1];
  url.port = port === undefined || port === '' ? null : port;
  url.hostname = (port === undefined ? host : host.slice(0, -port.length - 1)).replace(
    /^\[|\]$/g,
    '',
  );
  url.host = url.port === null && port !== undefined ? host.slice(0, -1) : host;
  return end < 0 ? '' : text.slice(end);
}

function format(value: string | UrlLike | Partial<Url>): string {
  if (typeof value === 'string') return parse(value).href;
  if (!(value instanceof Url) && 'href' in value && 'origin' in value) return String(value.href);
  const parts = value as Partial<Url>;
  const scheme = parts.protocol ?? '';
  const protocol = scheme === '' || scheme.endsWith(':') ? scheme : `${scheme}:`;
  const auth = parts.auth ? `${encodeURIComponent(parts.auth).replace(/%3A/i, ':')}@` : '';
  const name = parts.hostname?.includes(':') === true ? `[${parts.hostname}]` : parts.hostname;
  const host = parts.host ?? (name ? name + (parts.port ? `:${parts.port}` : '') : undefined);
  const slashes =
    parts.slashes === true || (host !== undefined && SLASHED.has(protocol)) ? '//' : '';
  const path = parts.pathname ?? '';
  const query =
    typeof parts.query === 'object' && parts.query !== null ? `?${stringify(parts.query)}` : '';
  const search = parts.search ?? (query === '?' ? '' : query);
  const joint = slashes !== '' && path !== '' && !path.startsWith('/') ? '/' : '';
  return [
    protocol,
    slashes,
    auth,
    host ?? '',
    joint + path.replaceAll('#', '%23').replaceAll('?', '%3F'),
    search === '' || search.startsWith('?') ? search.replaceAll('#', '%23') : `?${search}`,
    parts.hash === null ||
    parts.hash === undefined ||
    parts.hash === '' ||
    parts.hash.startsWith('#')
      ? (parts.hash ?? '')
      : `#${parts.hash}`,
  ].join('');
}

function resolve(from: string, to: string): string {
  const NOWHERE = 'resolve://nowhere';
  const base = new (always('URL'))(from, `${NOWHERE}/`);
  const { href } = new (always('URL'))(to, base.href);
  if (!href.startsWith(NOWHERE)) return href;
  const relative = href.slice(NOWHERE.length);
  return from.startsWith('/') || to.startsWith('/') ? relative : relative.slice(1);
}

export const builtin: object = offer('url', {
  Url,
  parse,
  format,
  resolve,
  resolveObject: (from: string, to: string): Url => parse(resolve(from, to)),
  fileURLToPath,
  pathToFileURL,
  domainToASCII: toASCII,
  domainToUnicode: toUnicode,
  urlToHttpOptions: ({
    protocol,
    hostname,
    port,
    pathname,
    search,
    hash,
    href,
  }: UrlLike): object => ({
    protocol,
    hostname,
    port: port === '' ? undefined : Number(port),
    path: pathname + search,
    pathname,
    search,
    hash,
    href,
  }),
  get URL(): UrlConstructor | undefined {
    return compartmentGlobal('URL');
  },
  get URLSearchParams() {
    return compartmentGlobal('URLSearchParams');
  },
});
