import { makeAbortPair } from '../../endowments/abort.js';
import { collectBody } from '../../endowments/fetch/body.js';
import { bodyOwners } from '../../endowments/fetch/body-class.js';
import { makeFetch } from '../../endowments/fetch/fetch.js';
import { headerStates } from '../../endowments/fetch/headers.js';
import type { DialectWorld } from '../dialect.js';
import { permissionDenied, type HeldPermissions } from './permissions.js';
import { readField } from './strict.js';
import { SPINDLE_LIMITS } from './limits.js';

/**
 * `spindle.cors(url, options)`: a request through the host's network broker, only to granted hosts,
 * also after redirects. Returns `{ status, statusText, headers, body }`. If `responseType` is
 * `"arraybuffer"`, the body is base64 and `encoding` is `"base64"`. Limits: 25 MiB, 30 s.
 */
export function makeCors(
  world: DialectWorld,
  permissions: HeldPermissions,
): (url: unknown, options?: unknown) => Promise<unknown> {
  const { powers } = world;
  const { clock, text } = powers;
  let fetch: ReturnType<typeof makeFetch>['fetch'] | undefined;

  return async (url, options) => {
    if (!permissions.has('cors_proxy')) throw permissionDenied('cors_proxy');
    const href = String(url);
    const protocol = powers.url.parse(href)?.protocol;
    if (protocol !== 'https:' && protocol !== 'http:') {
      throw new Error('spindle.cors takes an address that begins with https:// or http://');
    }
    if (!powers.grant.network) throw powers.denial('network', href);
    fetch ??= makeFetch(powers).fetch;
    const { signal, abort } = makeAbortPair(powers);
    const timer = clock.setTimeout(
      () => abort(`spindle.cors: no answer within ${SPINDLE_LIMITS.corsMs} ms`),
      SPINDLE_LIMITS.corsMs,
    );
    try {
      const response = await fetch(href, { ...initOf(options), signal });
      const bytes = await collectBody(
        bodyOwners.demand(response).body,
        SPINDLE_LIMITS.maxCorsBytes,
      );
      const asBytes = readField(options, 'responseType') === 'arraybuffer';
      const decoder = text.decoder('utf-8', { fatal: false, ignoreBOM: false });
      return {
        status: readField(response, 'status'),
        statusText: readField(response, 'statusText'),
        headers: headersOf(response),
        body: asBytes ? text.btoa(binaryOf(bytes)) : (decoder?.decode(bytes, false) ?? ''),
        ...(asBytes ? { encoding: 'base64' } : {}),
      };
    } finally {
      clock.clearTimeout(timer);
    }
  };
}

function initOf(options: unknown): object {
  const method: unknown = readField(options, 'method');
  const headers: unknown = readField(options, 'headers');
  const body: unknown = readField(options, 'body');
  return {
    ...(typeof method === 'string' ? { method } : {}),
    ...(typeof headers === 'object' && headers !== null ? { headers: { ...headers } } : {}),
    ...(typeof body === 'string' ? { body } : {}),
  };
}

function headersOf(response: object): Record<string, string> {
  const { list } = headerStates.demand(readField(response, 'headers'));
  const headers: Record<string, string> = {};
  for (const [name, value] of list) {
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/** Bytes as a binary string, built in chunks because a call has a maximum number of arguments. */
function binaryOf(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return pieces.join('');
}

const PIECE = 8 * 1024;
