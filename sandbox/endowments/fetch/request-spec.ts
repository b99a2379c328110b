import type { EndowmentCapabilities } from '../endowment.js';
import { signals } from '../events/signal.js';
import { isObject, member, toOptions, toScalarText, toText } from '../web-idl.js';
import { type Body, readBody } from './body.js';
import { addDefault, type HeaderList, readHeaders, TOKEN } from './headers.js';

/** A request in plain values, with an unread body. */
export interface RequestSpec {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: Body | undefined;
  readonly redirect: 'follow' | 'error' | 'manual';
  /** An AbortSignal. */
  readonly signal: object | undefined;
}

/**
 * Reads the arguments of `fetch` or `new Request`, each value once and as text. The request is made
 * from these values. Of `init` it reads only method, headers, body, redirect and signal. Other
 * members of a platform (a proxy, a socket, a dispatcher) do not exist here.
 *
 * `base` is the request in `input`, if it is one. `takeBody` uses its body.
 */
export function readRequest(
  input: unknown,
  init: unknown,
  base: { readonly spec: RequestSpec; readonly takeBody: () => Body | undefined } | undefined,
  capabilities: EndowmentCapabilities,
): RequestSpec {
  const given = toOptions(init, 'init argument of a request');
  const method = member(given, 'method');
  const headers = member(given, 'headers');
  const body = member(given, 'body');
  const redirect = member(given, 'redirect');
  const signal = member(given, 'signal');

  const spec = {
    url: base?.spec.url ?? readUrl(input, capabilities),
    method: method === undefined ? (base?.spec.method ?? 'GET') : readMethod(method),
    headers: headers === undefined ? [...(base?.spec.headers ?? [])] : readHeaders(headers),
    redirect: redirect === undefined ? (base?.spec.redirect ?? 'follow') : readRedirect(redirect),
    signal: signal === undefined ? base?.spec.signal : readSignal(signal),
  };
  const isBodiless = spec.method === 'GET' || spec.method === 'HEAD';
  if (body === undefined || body === null) {
    const inherited = body === null || isBodiless ? undefined : base?.takeBody();
    return { ...spec, body: inherited };
  }
  if (isBodiless) throw new TypeError(`A ${spec.method} request has no body`);
  const read = readBody(body, capabilities.text);
  return {
    ...spec,
    headers:
      read.type === undefined ? spec.headers : addDefault(spec.headers, 'content-type', read.type),
    body: read.body,
  };
}

function readUrl(input: unknown, { url }: EndowmentCapabilities): string {
  const text = toScalarText(input);
  const parts = url.parse(text);
  if (parts === undefined) throw new TypeError(`Failed to parse URL from ${text}`);
  if (parts.username !== '' || parts.password !== '') {
    throw new TypeError('The URL of a request holds credentials: send them as a header');
  }
  return parts.href;
}

function readMethod(value: unknown): string {
  const method = toText(value);
  const upper = method.toUpperCase();
  if (!TOKEN.test(method) || FORBIDDEN.has(upper)) {
    throw new TypeError(`${JSON.stringify(method)} is not a method of a request`);
  }
  return NORMALIZED.has(upper) ? upper : method;
}

const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK']);
const NORMALIZED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

function readRedirect(value: unknown): RequestSpec['redirect'] {
  const mode = toText(value);
  if (mode === 'follow' || mode === 'error' || mode === 'manual') return mode;
  throw new TypeError(`There is no redirect mode ${JSON.stringify(mode)}`);
}

function readSignal(value: unknown): object | undefined {
  if (value === null) return undefined;
  signals.demand(value);
  return isObject(value) ? value : undefined;
}
