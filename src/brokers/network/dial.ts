import { isIP, type Socket } from 'node:net';
import { Resolver } from 'node:dns/promises';
import { blockedRange, blockedName, hostOf, portOf } from './addresses.js';
import { untilAborted } from '../until-aborted.js';
import type { NetworkLimits } from '../limits.js';
import { leadsToOwnPort } from './own-ports.js';
import type { Place } from './overrides.js';
import type { Refusals } from './refusals.js';
import { type Connect, secure, type Trust, type Tunnel } from './sockets.js';

/**
 * Connects to the host of a URL, at an address that a plugin may reach:
 *
 * ```
 *   override? ──────────────────────────────► connect ─► TLS?
 *   name blocked? ─► proxy? ─► CONNECT name ───────────► TLS?
 *                      └─► resolve ─► every address public? ─► connect to those alone
 *                                      ─► is it one of them? ─► TLS?
 * ```
 *
 * It dials the address that it checked, so that a changed DNS answer (rebinding) has no effect.
 */
export type Dial = (url: URL, signal: AbortSignal) => Promise<Dialled>;

export interface Dialled {
  readonly socket: Socket;
  /** `undefined` behind a proxy. */
  readonly address: string | undefined;
}

export function makeDial(spec: {
  readonly overrides: ReadonlyMap<string, Place>;
  readonly resolve: Resolve;
  readonly connect: Connect;
  readonly tunnel: Tunnel | undefined;
  readonly trust: Trust;
  readonly limits: NetworkLimits;
  readonly refusals: Refusals;
}): Dial {
  const { refusals } = spec;

  /** Closes a connection to a server of this process, which no grant and no override opens. */
  const refuseOwnPort = (host: string, { socket }: Dialled): void => {
    // guard: own-port-refused
    if (leadsToOwnPort(socket)) {
      socket.destroy();
      throw refusals.ownPort(host);
    }
  };

  const dialPlace = async (place: Place, signal: AbortSignal): Promise<Dialled> => {
    const addresses =
      isIP(place.host) === 0
        ? await untilAborted(signal, spec.resolve(place.host, signal))
        : [place.host];
    const socket = await spec.connect(place.host, place.port, addresses, signal);
    return { socket, address: socket.remoteAddress };
  };

  const dialPublic = async (url: URL, signal: AbortSignal): Promise<Dialled> => {
    const host = hostOf(url);
    const literal = isIP(host) !== 0;
    const addresses = literal
      ? [host]
      : (await untilAborted(signal, spec.resolve(host, signal))).slice(0, MAX_ADDRESSES);
    // guard: every-address-checked
    for (const address of addresses) {
      const range = blockedRange(address);
      const why = `${address} is ${range}`;
      // A private address among public ones suggests an attack on this check.
      // guard: private-address-refused
      if (range !== undefined) throw refusals.privateAddress(host, why);
    }
    // guard: checked-addresses-dialed
    const socket = await spec.connect(host, portOf(url), addresses, signal);
    const address = socket.remoteAddress;
    // guard: peer-address-checked
    const range = address === undefined ? 'not an address' : blockedRange(address);
    if (range !== undefined) {
      socket.destroy();
      throw refusals.privateAddress(host, `${address} is ${range}`);
    }
    return { socket, address };
  };

  const dialAnywhere = async (url: URL, signal: AbortSignal): Promise<Dialled> => {
    const host = hostOf(url);
    const place = spec.overrides.get(host);
    if (place !== undefined) {
      const dialled = await dialPlace(place, signal);
      refuseOwnPort(host, dialled);
      return place.secure ? { ...dialled, socket: await shake(dialled, host, signal) } : dialled;
    }
    checkName(host, refusals);
    const dialled =
      spec.tunnel === undefined
        ? await dialPublic(url, signal)
        : { socket: await spec.tunnel(url, signal), address: undefined };
    refuseOwnPort(host, dialled);
    if (url.protocol === 'http:') return dialled;
    return { ...dialled, socket: await shake(dialled, host, signal) };
  };

  const shake = ({ socket }: Dialled, host: string, signal: AbortSignal): Promise<Socket> =>
    secure(socket, host, spec.trust(), signal);

  return async (url, signal) => {
    const attempt = new AbortController();
    const give = (): void => attempt.abort(signal.reason);
    const late = (): void =>
      attempt.abort(refusals.limit('connectMs', 'no connection could be made in time'));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
    const timer = setTimeout(late, spec.limits.connectMs);
    try {
      return await dialAnywhere(url, attempt.signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', give);
    }
  };
}

// An honest name has a few addresses. More only cost time.
const MAX_ADDRESSES = 64;

/** Throws for a name or address that no plugin may reach, before it is resolved. */
export function checkName(host: string, refusals: Refusals): void {
  const why = isIP(host) === 0 ? blockedName(host) : blockedRange(host);
  // guard: private-name-refused
  if (why !== undefined) throw refusals.privateHost(host, why);
}

/** All addresses of a host. Rejects if there are none, and when the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Resolves with the machine's name servers, or with `servers` (`address:port`). It does not use
 * `dns.lookup`, which cannot be cancelled and blocks one of four threads that also serve files. A
 * plugin with a slow name server could block them all. Operators use host overrides instead of the
 * hosts file.
 */
export function makeResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    // No name server knows it (RFC 6761). Only an operator's override leads here: plugins may not name it.
    if (host === 'localhost') return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [ipv4, ipv6] = await Promise.allSettled([
        resolver.resolve4(host),
        resolver.resolve6(host),
      ]);
      if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
      // IPv4 first: a machine with only one of them has IPv4.
      return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
