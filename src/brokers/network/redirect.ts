import type { ResponseHead } from './exchange.js';
import { without } from './headers.js';
import { hostOf } from './names.js';
import type { Refusals } from './refusals.js';
import { checkUrl, type NetworkRequest } from './request.js';

/**
 * The request that a response redirects to, as the fetch standard makes it; `undefined` where the
 * response is the answer. Whether the grant covers it is for the caller to check, as for any
 * request. Throws where it leads nowhere that is requested.
 */
export function redirectOf(
  request: NetworkRequest,
  head: ResponseHead,
  refusals: Refusals,
): NetworkRequest | undefined {
  if (!REDIRECTS.has(head.status) || request.redirect === 'manual') return undefined;
  const locations = head.headers.filter(([name]) => name === 'location');
  const location = locations[0]?.[1];
  if (location === undefined) return undefined;
  const host = hostOf(request.url);
  if (request.redirect === 'error') {
    throw refusals.failed(host, 'it redirects, which the request does not allow');
  }
  // Servers and caches differ in which of two they obey. We obey neither.
  if (locations.length > 1) throw refusals.failed(host, 'it redirects to several places at once');
  if (!URL.canParse(location, request.url.href)) {
    throw refusals.failed(host, 'it redirects to what is not a URL');
  }
  const url = checkUrl(new URL(location, request.url), refusals);
  const sameOrigin = url.origin === request.url.origin;
  const asGet =
    (head.status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((head.status === 301 || head.status === 302) && request.method === 'POST');
  const dropped = [...(sameOrigin ? [] : CREDENTIALS), ...(asGet ? ABOUT_THE_BODY : [])];
  return {
    ...request,
    url,
    headers: without(request.headers, dropped),
    ...(asGet ? { method: 'GET', hasBody: false, bodyBytes: undefined } : {}),
  };
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
// Meant for the first host. (`proxy-authorization` never gets this far, yet belongs to the list.)
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];
const ABOUT_THE_BODY = ['content-encoding', 'content-language', 'content-location', 'content-type'];
