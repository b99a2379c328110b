import { isIP, type Socket } from 'node:net';

import { blockedRange } from './addresses.js';
import { untilAborted } from '../until-aborted.js';
import type { NetworkLimits } from './limits.js';
import { blockedName, hostOf, portOf } from './names.js';
import type { Place } from './overrides.js';
import type { Refusals } from './refusals.js';
import type { Resolve } from './resolve.js';
import { type Connect, secure, type Trust } from './sockets.js';
import type { Tunnel } from './tunnel.js';

/**
 * Opens a connection to the host of a URL, to an address that a plugin may reach:
 *
 * ```
 *   override? ──────────────────────────────► connect ─► TLS?
 *   name blocked? ─► proxy? ─► CONNECT name ───────────► TLS?
 *                      └─► resolve ─► every address public? ─► connect to those alone
 *                                      ─► is it one of them? ─► TLS?
 * ```
 *
 * The address that was checked is the one that is dialled, so an answer that changes between the
 * two (DNS rebinding) changes nothing.
 */
export type Dial = (url: URL, signal: AbortSignal) => Promise<Dialled>;

export interface Dialled {
  readonly socket: Socket;
  /** `undefined` behind a proxy, which alone knows. */
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
    for (const address of addresses) {
      const range = blockedRange(address);
      const why = `${address} is ${range}`;
      // One bad answer among good ones is what an attack on the check itself looks like.
      if (range !== undefined) throw refusals.privateAddress(host, why);
    }
    const socket = await spec.connect(host, portOf(url), addresses, signal);
    const address = socket.remoteAddress;
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
      return place.secure ? { ...dialled, socket: await shake(dialled, host, signal) } : dialled;
    }
    checkName(host, refusals);
    const dialled =
      spec.tunnel === undefined
        ? await dialPublic(url, signal)
        : { socket: await spec.tunnel(url, signal), address: undefined };
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

// An honest name has a handful. More than that is only there to be checked one by one.
const MAX_ADDRESSES = 64;

/** Throws for a name or literal address that no plugin reaches, before anything is resolved. */
export function checkName(host: string, refusals: Refusals): void {
  const why = isIP(host) === 0 ? blockedName(host) : blockedRange(host);
  if (why !== undefined) throw refusals.privateHost(host, why);
}
