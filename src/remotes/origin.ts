import type { ByteSource } from '../../sandbox/wire/streams.js';
import { makeNetworkBroker, type NetworkBrokerSpec } from '../brokers/network/broker.js';
import type { NetworkLimits } from '../brokers/limits.js';
import { hostOf } from '../brokers/network/addresses.js';
import { BulkheadError, isBulkheadError } from '../errors.js';

/** A server that the operator named. */
export interface OriginSpec {
  /** Its name in messages. */
  readonly name: string;
  /** The only origin that requests may go to. */
  readonly origin: string;
  /** Whether the operator allows a private address. */
  readonly allowPrivate: boolean;
  /** The edit that allows a private address. */
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
  /** Names are in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ByteSource | undefined;
}

/** Sends requests to one origin by the network broker's rules. A redirect is returned, not followed. */
export interface Origin {
  /** Rejects `NETWORK_DENIED` (before anything is sent), `NETWORK_FAILED`, `NETWORK_LIMIT`, `CANCELLED`. */
  send(request: OriginRequest, signal: AbortSignal): Promise<OriginReply>;
  close(): Promise<void>;
}

/** The origin of a registered server. */
export function makeRemoteOrigin(
  {
    id,
    options,
    network,
    onEvent,
  }: {
    readonly id: string;
    readonly options: { readonly allowPrivate?: boolean };
    readonly network: OriginSpec['network'];
    readonly onEvent?: OriginSpec['onEvent'];
  },
  origin: string,
  limits?: Partial<NetworkLimits>,
): Origin {
  return makeOrigin({
    name: id,
    origin,
    allowPrivate: options.allowPrivate ?? false,
    remedy: `add "allowPrivate": true to the remote ${id}`,
    ...(network === undefined ? {} : { network }),
    ...(limits === undefined ? {} : { limits }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
}

/** Throws `INVALID_OPTIONS` for overrides that are not valid. */
export function makeOrigin(spec: OriginSpec): Origin {
  const { name, origin, allowPrivate, network = {} } = spec;
  const host = hostOf(new URL(origin));
  const overridden = (network.overrides ?? []).some((override) => override.host === host);
  const privateHost = allowPrivate && !overridden ? [{ host, url: origin }] : [];
  const broker = makeNetworkBroker({
    plugin: { id: name, manifest: 'its configuration' },
    granted: [origin],
    // An origin, not a host: the token for one port is not for another.
    allows: (url) => url.origin === origin,
    ...network,
    overrides: [...(network.overrides ?? []), ...privateHost],
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
    `${name} may not be reached: ${origin} is at a private address. To allow it, ${remedy}.`,
    { plugin: name, wanted: origin, granted: [] },
  );
}

/** Reads a whole body of at most `maxBytes`. Rejects with `NETWORK_LIMIT` for a longer one. */
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
        `The answer of ${name} is longer than ${maxBytes} bytes.`,
        { limit: 'maxResponseBytes' },
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
