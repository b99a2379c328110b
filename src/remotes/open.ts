import { blockedRange } from '../brokers/network/addresses.js';
import { blockedName, hostOf } from '../brokers/network/names.js';
import { BulkheadError } from '../errors.js';
import type { Identity } from './identity.js';
import { makeMcpRemote } from './mcp/mcp.js';
import type { McpRemoteOptions } from './mcp/options.js';
import type { OriginSpec } from './origin.js';
import type { PinStore } from './pins.js';
import type { Remote } from './remote.js';
import type { VertesiaRemoteOptions } from './vertesia/options.js';
import { makeVertesiaRemote } from './vertesia/vertesia.js';

/** A server of tools, as the operator registers it. */
export type RemoteOptions = VertesiaRemoteOptions | McpRemoteOptions;

export interface RemotePowers {
  readonly identity: Identity;
  readonly pins: PinStore;
  readonly network: OriginSpec['network'];
  /** Told of every request, by the server's id. */
  readonly onRequest?: (
    id: string,
    record: Parameters<NonNullable<OriginSpec['onEvent']>>[0],
  ) => void;
}

/** Throws `INVALID_OPTIONS` for what cannot be registered, and for two of one id. */
export function openRemotes(
  registered: readonly RemoteOptions[],
  powers: RemotePowers,
): readonly Remote[] {
  const taken = new Set<string>();
  return registered.map((options) => {
    const id = checkId(options, idOf(options));
    if (taken.has(id)) {
      throw invalid(`two have the id ${id}: give one of them another`);
    }
    taken.add(id);
    const { identity, pins, network, onRequest } = powers;
    const spec = {
      id,
      network,
      ...(onRequest === undefined
        ? {}
        : { onEvent: (record: Parameters<typeof onRequest>[1]) => onRequest(id, record) }),
    };
    if ('vertesia' in options) return makeVertesiaRemote({ ...spec, options, identity });
    return makeMcpRemote({ ...spec, options, pins });
  });
}

function idOf(options: RemoteOptions): string {
  if (options.id !== undefined) return options.id;
  if ('command' in options) throw invalid('a command needs an id');
  return checkUrl('vertesia' in options ? options.vertesia : options.mcp).hostname;
}

function checkId(options: RemoteOptions, id: string): string {
  if (!/^[\w.@/[\]-]{1,64}$/.test(id)) throw invalid(`${JSON.stringify(id)} is not an id`);
  if ('command' in options) {
    if (options.command === '') throw invalid(`${id} has no command`);
    return id;
  }
  const url = checkUrl('vertesia' in options ? options.vertesia : options.mcp);
  if (url.protocol === 'https:') return id;
  if (!isPrivate(url)) {
    throw invalid(`${id} would be sent its token in the open. Register it at https:`);
  }
  if (options.allowPrivate !== true) {
    throw invalid(
      `${id} is at a private, plain http: address. To allow it, add "allowPrivate": true`,
    );
  }
  return id;
}

/** Whether it is no address of the public network, by its name alone. */
function isPrivate(url: URL): boolean {
  const host = hostOf(url);
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':');
  return (isAddress ? blockedRange(host) : blockedName(host)) !== undefined;
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw invalid(`${text} is not the URL of a server`);
  }
  return url;
}

function invalid(why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option remotes cannot be used: ${why}.`, {
    option: 'remotes',
  });
}
