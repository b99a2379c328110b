import { blockedRange, blockedName, hostOf } from '../brokers/network/addresses.js';
import { BulkheadError } from '../errors.js';
import type { Identity } from './identity.js';
import { checkConfinement } from './mcp/confine.js';
import { makeMcpRemote } from './mcp/mcp.js';
import type { LoginStore } from './mcp/oauth.js';
import type { OriginSpec } from './origin.js';
import type { PinStore } from './pins.js';
import { array, object, readShape } from '../schema/shape.js';
import type { McpHttpOptions, Remote, RemoteOptions } from './remote.js';
import { remote } from './remote-shape.js';
import { makeVertesiaRemote } from './vertesia/vertesia.js';

export interface RemoteCapabilities {
  readonly identity: Identity;
  readonly pins: PinStore;
  /** Stores the logins at MCP servers. */
  readonly logins: LoginStore;
  readonly network: OriginSpec['network'];
  /** Receives every request, with the server's id. */
  readonly onRequest?: (
    id: string,
    record: Parameters<NonNullable<OriginSpec['onEvent']>>[0],
  ) => void;
}

/** Throws `INVALID_OPTIONS` for a server that cannot be registered, and for two with one id. */
export function openRemotes(
  registered: readonly RemoteOptions[],
  { identity, pins, logins, network, onRequest }: RemoteCapabilities,
): readonly Remote[] {
  const ids = new Set<string>();
  return readRemotes(registered).map((options) => {
    const id = checkId(options, idOf(options));
    if (ids.has(id)) throw invalid(`two have the id ${id}. Choose another id for one of them`);
    ids.add(id);
    const spec = {
      id,
      network,
      ...(onRequest === undefined
        ? {}
        : { onEvent: (record: Parameters<typeof onRequest>[1]) => onRequest(id, record) }),
    };
    if ('command' in options) return makeMcpRemote({ ...spec, options, pins, logins });
    const url = checkUrl('vertesia' in options ? options.vertesia : options.mcp);
    // The operator wrote the address of this machine, which no name server can change.
    const allowPrivate = options.allowPrivate ?? isLoopback(url);
    if ('vertesia' in options) {
      return makeVertesiaRemote({ ...spec, options: { ...options, allowPrivate }, identity, pins });
    }
    return makeMcpRemote({ ...spec, options: { ...options, allowPrivate }, pins, logins });
  });
}

const form = object({ remotes: array(remote) });

function readRemotes(remotes: unknown): readonly RemoteOptions[] {
  const read = readShape(form, { remotes }, 'options');
  if (read.ok) return read.value.remotes;
  throw invalid(read.problems.join('. '));
}

function idOf(options: RemoteOptions): string {
  if (options.id !== undefined) return options.id;
  if ('command' in options) throw invalid('a command needs an id');
  return checkUrl('vertesia' in options ? options.vertesia : options.mcp).hostname;
}

function checkId(options: RemoteOptions, id: string): string {
  if (!/^[\w.@/[\]-]{1,64}$/.test(id)) throw invalid(`${JSON.stringify(id)} is not an id`);
  if ('command' in options) {
    if (options.command === '') throw invalid(`${id} has an empty command`);
    if (options.confine !== undefined) checkConfinement(id, options.confine);
    return id;
  }
  if ('mcp' in options) checkOAuth(id, options);
  const url = checkUrl('vertesia' in options ? options.vertesia : options.mcp);
  if (url.protocol === 'https:') return id;
  if (!isPrivate(url)) {
    throw invalid(`${id} would receive its token in the open. Register it at https:`);
  }
  if (options.allowPrivate !== true && !(options.allowPrivate === undefined && isLoopback(url))) {
    throw invalid(
      `${id} is at a private, plain http: address. To allow it, add "allowPrivate": true`,
    );
  }
  return id;
}

function checkOAuth(id: string, { oauth = false, headers = {} }: McpHttpOptions): void {
  if (oauth === false) return;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    throw invalid(`${id} has oauth and the header authorization. Remove one of them`);
  }
  const {
    clientId,
    clientSecret,
    clientMetadataUrl: document,
    redirectPort = 0,
  } = oauth === true ? {} : oauth;
  if (document !== undefined && !/^https:\/\/[^/]+\/./.test(document)) {
    throw invalid(`${id} has a clientMetadataUrl that is not the https: URL of a document`);
  }
  if (clientSecret !== undefined && clientId === undefined) {
    throw invalid(`${id} has a clientSecret without a clientId`);
  }
  if (!Number.isInteger(redirectPort) || redirectPort < 0 || redirectPort > 65_535) {
    throw invalid(`${id} has a redirectPort that is not a port`);
  }
}

/** Whether the host is this machine, by its name or address. */
function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Whether the host is not on the public network, by its name or address only. */
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
  return new BulkheadError('INVALID_OPTIONS', `The option remotes is not valid: ${why}.`, {
    option: 'remotes',
  });
}
