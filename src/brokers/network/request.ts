import { isRecord } from '../../../sandbox/wire/parse.js';
import { type Header, parseRequestHeaders, TOKEN } from './headers.js';
import type { NetworkLimits } from './limits.js';
import { withoutRootDot } from './names.js';
import type { Refusals } from './refusals.js';

/** A request as the broker works with it: every part parsed, and nothing else in it. */
export interface NetworkRequest {
  /** Without a fragment or a root dot. Parsed once: what is checked is what is dialled. */
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly Header[];
  readonly hasBody: boolean;
  /** The body's length where the plugin's side knows it; held to when it is sent. */
  readonly bodyBytes: number | undefined;
  readonly redirect: 'follow' | 'error' | 'manual';
}

/** Reads what a guest sent as the params of `fetch`. Throws a refusal, and nothing else. */
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
  return { url, method, headers, hasBody, bodyBytes, redirect };
}

function parseUrl(text: unknown, limits: NetworkLimits, refusals: Refusals): URL {
  if (typeof text !== 'string') throw refusals.malformed('its URL is not a string', '');
  if (text.length > limits.maxUrlLength) {
    throw refusals.limit('maxUrlLength', `its URL has ${text.length} characters`);
  }
  if (!URL.canParse(text)) throw refusals.malformed('its URL cannot be parsed', text);
  return checkUrl(new URL(text), refusals);
}

/** What holds for every URL that is requested, a redirect's too. */
export function checkUrl(url: URL, refusals: Refusals): URL {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refusals.malformed(`the scheme ${url.protocol} is not http: or https:`, url.protocol);
  }
  if (url.username !== '' || url.password !== '') {
    throw refusals.malformed('its URL holds a user name or password', url.host);
  }
  const plain = withoutRootDot(url);
  plain.hash = '';
  return plain;
}

function parseMethod(text: unknown, refusals: Refusals): string {
  if (typeof text !== 'string' || text.length > 32 || !TOKEN.test(text)) {
    throw refusals.malformed('its method is not one', '');
  }
  const upper = text.toUpperCase();
  if (FORBIDDEN.has(upper)) throw refusals.malformed(`the method ${upper} is never sent`, upper);
  // As fetch does: other methods are sent as they are written.
  return NORMALIZED.has(upper) ? upper : text;
}

// CONNECT would make a server a way to other servers; the others echo what we add to a request.
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);
const NORMALIZED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

function parseLength(
  value: unknown,
  limits: NetworkLimits,
  refusals: Refusals,
): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw refusals.malformed('the length of its body is not one', '');
  }
  if (value > limits.maxRequestBytes) {
    throw refusals.limit('maxRequestBytes', `its body has ${value} bytes`);
  }
  return value;
}
