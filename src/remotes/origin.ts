import type { ByteSource } from '../../sandbox/wire/streams.js';
import { makeNetworkBroker, type NetworkBrokerSpec } from '../brokers/network/broker.js';
import type { NetworkLimits } from '../brokers/network/limits.js';
import { hostOf } from '../brokers/network/names.js';
import { BulkheadError, isBulkheadError } from '../errors.js';

/** A server of somebody else's, that the operator named. */
export interface OriginSpec {
  /** What messages call it. */
  readonly name: string;
  /** Requests go below this origin and nowhere else. */
  readonly origin: string;
  /** Whether it may be at a private address, where the operator said so. */
  readonly allowPrivate: boolean;
  /** The edit that would allow a private address. */
  readonly remedy: string;
  readonly network?: Pick<NetworkBrokerSpec, 'overrides' | 'ca' | 'proxy' | 'resolve' | 'connect'>;
  readonly limits?: Partial<NetworkLimits>;
  readonly onEvent?: NetworkBrokerSpec['onEvent'];
}

export interface OriginRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
}

export interface OriginReply {
  readonly status: number;
  readonly statusText: string;
  /** By name in small letters. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ByteSource | undefined;
}

/** Talks to one origin by the network broker's rules. No redirect is followed: it is an answer. */
export interface Origin {
  /** Rejects `NETWORK_DENIED` (before anything is sent), `NETWORK_FAILED`, `NETWORK_LIMIT`, `CANCELLED`. */
  send(request: OriginRequest, signal: AbortSignal): Promise<OriginReply>;
  close(): Promise<void>;
}

/** Throws `INVALID_OPTIONS` for overrides that cannot be read. */
export function makeOrigin(spec: OriginSpec): Origin {
  const { name, origin, allowPrivate, network = {} } = spec;
  const host = hostOf(new URL(origin));
  const overridden = (network.overrides ?? []).some((override) => override.host === host);
  const opened = allowPrivate && !overridden ? [{ host, url: origin }] : [];
  const broker = makeNetworkBroker({
    plugin: { id: name, manifest: 'its configuration' },
    granted: [origin],
    // One origin, not one host: a bearer for one port is not for its neighbour.
    allows: (url) => url.origin === origin,
    ...network,
    overrides: [...(network.overrides ?? []), ...opened],
    ...(spec.limits === undefined ? {} : { limits: spec.limits }),
    ...(spec.onEvent === undefined ? {} : { onEvent: spec.onEvent }),
  });
  return {
    send: async ({ url, method, headers, body }, signal) => {
      const params = {
        url,
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { bodyBytes: body.byteLength }),
      };
      try {
        return await broker.fetch(params, body && oneChunk(body), signal);
      } catch (error) {
        throw isPrivate(error) ? privateDenied(spec) : error;
      }
    },
    close: () => broker.close(),
  };
}

function oneChunk(bytes: Uint8Array): ByteSource {
  let rest: Uint8Array | undefined = bytes;
  return {
    pull: () => {
      const chunk = rest;
      rest = undefined;
      return Promise.resolve(chunk);
    },
    cancel: () => {
      rest = undefined;
    },
  };
}

function isPrivate(error: unknown): boolean {
  return isBulkheadError(error, 'NETWORK_DENIED') && error.message.startsWith('SSRF blocked');
}

function privateDenied({ name, origin, remedy }: OriginSpec): BulkheadError {
  return new BulkheadError(
    'NETWORK_DENIED',
    `${name} is not reached: ${origin} is at a private address. To allow it, ${remedy}.`,
    { plugin: name, wanted: origin, granted: [] },
  );
}

/** All of a body, up to that many bytes. Rejects `NETWORK_LIMIT` for a longer one. */
export async function readAll(
  body: ByteSource | undefined,
  maxBytes: number,
  name: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let chunk = await body?.pull(); chunk !== undefined; chunk = await body?.pull()) {
    length += chunk.byteLength;
    if (length > maxBytes) {
      body?.cancel('too long');
      throw new BulkheadError(
        'NETWORK_LIMIT',
        `The answer of ${name} is longer than ${maxBytes} bytes and was not read.`,
        { limit: 'maxResponseBytes' },
      );
    }
    chunks.push(chunk);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
