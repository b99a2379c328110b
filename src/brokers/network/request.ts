import { isRecord } from '../../../sandbox/wire/json.js';
import { makeNetworkTable, type NetworkTable } from '../../permissions/network.js';
import type { NetworkLimits } from '../limits.js';
import { withoutRootDot } from './addresses.js';
import type { Refusals } from './refusals.js';

/** A parsed request. */
export interface NetworkRequest {
  /** Without a fragment or a final dot. Parsed once: the checked URL is the dialled one. */
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly hasBody: boolean;
  /** The body's length, if the guest knows it. Checked when the body is sent. */
  readonly bodyBytes: number | undefined;
  readonly redirect: 'follow' | 'error' | 'manual';
  /** The hosts of the npm package that makes it. Absent: the grant decides alone. */
  readonly within?: NetworkTable;
}

/** Parses the params of `fetch` from a guest. Throws a refusal. */
export function parseRequest(
  params: unknown,
  hasBody: boolean,
  limits: NetworkLimits,
  refusals: Refusals,
): NetworkRequest {
  if (!isRecord(params)) throw refusals.malformed('it is not an object', '');
  const url = parseUrl(params['url'], limits, refusals);
  const method = parseMethod(params['method'], refusals);
  if (hasBody && (method === 'GET' || method === 'HEAD')) {
    throw refusals.malformed(`a ${method} request has no body`, url.host);
  }
  const { redirect } = params;
  if (redirect !== 'follow' && redirect !== 'error' && redirect !== 'manual') {
    throw refusals.malformed('its redirect mode is not follow, error or manual', url.host);
  }
  const headers = parseRequestHeaders(params['headers'], limits, refusals);
  const bodyBytes = hasBody ? parseLength(params['bodyBytes'], limits, refusals) : undefined;
  const { within } = params;
  return {
    url,
    method,
    headers,
    hasBody,
    bodyBytes,
    redirect,
    ...(within === undefined ? {} : { within: parseWithin(within, url, refusals) }),
  };
}

function parseWithin(value: unknown, { host }: URL, refusals: Refusals): NetworkTable {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  try {
    return makeNetworkTable(texts.map(String).slice(0, MAX_SCOPES));
  } catch {
    throw refusals.malformed('the hosts of its package are not valid', host);
  }
}

const MAX_SCOPES = 1_000;

function parseUrl(text: unknown, limits: NetworkLimits, refusals: Refusals): URL {
  if (typeof text !== 'string') throw refusals.malformed('its URL is not a string', '');
  if (text.length > limits.maxUrlLength) {
    throw refusals.limit('maxUrlLength', `its URL has ${text.length} characters`);
  }
  if (!URL.canParse(text)) throw refusals.malformed('its URL cannot be parsed', text);
  return checkUrl(new URL(text), refusals);
}

/** Checks a URL, also of a redirect. */
export function checkUrl(url: URL, refusals: Refusals): URL {
  // guard: url-scheme-is-http
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refusals.malformed(`the scheme ${url.protocol} is not http: or https:`, url.protocol);
  }
  // guard: url-without-user
  if (url.username !== '' || url.password !== '') {
    throw refusals.malformed('its URL holds a user name or password', url.host);
  }
  const plain = withoutRootDot(url);
  plain.hash = '';
  return plain;
}

function parseMethod(text: unknown, refusals: Refusals): string {
  if (typeof text !== 'string' || text.length > 32 || !TOKEN.test(text)) {
    throw refusals.malformed('its method is not valid', '');
  }
  const upper = text.toUpperCase();
  // guard: method-allowed
  if (FORBIDDEN.has(upper)) throw refusals.malformed(`the method ${upper} is never sent`, upper);
  // As in fetch, other methods are sent unchanged.
  return NORMALIZED.has(upper) ? upper : text;
}

// CONNECT would make a server a proxy; the others echo headers that we add.
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);
const NORMALIZED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

function parseLength(
  value: unknown,
  limits: NetworkLimits,
  refusals: Refusals,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw refusals.malformed('the length of its body is not valid', '');
  }
  if (value > limits.maxRequestBytes) {
    throw refusals.limit('maxRequestBytes', `its body has ${value} bytes`);
  }
  return value;
}

export type Header = readonly [name: string, value: string];

/**
 * Parses the headers of a plugin's request: names in lower case, values trimmed. As in fetch,
 * headers about framing and routing are dropped silently, because honest code sets them too. An
 * invalid name or value is refused.
 */
export function parseRequestHeaders(
  value: unknown,
  limits: NetworkLimits,
  refusals: Refusals,
): readonly Header[] {
  if (!Array.isArray(value)) throw refusals.malformed('its headers are not a list', '');
  const entries: readonly unknown[] = value;
  if (entries.length > limits.maxRequestHeaders) {
    throw refusals.limit('maxRequestHeaders', `it has ${entries.length} headers`);
  }
  let bytes = 0;
  const headers: Header[] = [];
  for (const entry of entries) {
    const header = parseHeader(entry);
    if (header === undefined) throw refusals.malformed('one of its headers is not valid', '');
    bytes += header[0].length + header[1].length;
    if (bytes > limits.maxRequestHeaderBytes) {
      throw refusals.limit('maxRequestHeaderBytes', 'its headers are too long');
    }
    // guard: framing-header-dropped
    if (!isOurs(header[0])) headers.push(header);
  }
  return headers;
}

function parseHeader(entry: unknown): Header | undefined {
  if (!Array.isArray(entry) || entry.length !== 2) return undefined;
  const [name, value]: readonly unknown[] = entry;
  if (typeof name !== 'string' || typeof value !== 'string' || !TOKEN.test(name)) return undefined;
  const trimmed = value.replace(BLANKS_AROUND, '');
  // Bytes only: a larger code would be cut to its low byte, and U+010A would become LF.
  // guard: header-value-valid
  return VALUE.test(trimmed) ? [name.toLowerCase(), trimmed] : undefined;
}

export const TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Matches trailing blanks only at their start, because a text may have a million blanks inside. */
// guard: header-pattern-linear
const BLANKS_AROUND = /^[\t\r\n ]+|(?<![\t\r\n ])[\t\r\n ]+$/g;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isOurs(name: string): boolean {
  return OURS.has(name) || name.startsWith('proxy-');
}

const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

export function valueOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

export function without(headers: readonly Header[], names: readonly string[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name));
}
