import { connect as connectSocket, isIP, Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from 'node:tls';
import { portOf } from './addresses.js';
import { parseProxyUrl } from './overrides.js';

/** Tries `addresses` in order. `host` is only for messages: it is not resolved. */
export const connectTcp: Connect = (host, port, addresses, signal) => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = answers;
  if (first === undefined) return Promise.reject(new Error(`${host} has no address`));
  const socket = connectSocket({
    host,
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    // Not called if `host` is an address, which is then the only one in `addresses`.
    lookup: (_host, options, callback) => {
      if (options.all === true) callback(null, answers);
      else callback(null, first.address, first.family);
    },
  });
  return ready(socket, 'connect', signal);
};

/** Opens a connection to one of the addresses. */
export type Connect = (
  host: string,
  port: number,
  addresses: readonly string[],
  signal: AbortSignal,
) => Promise<Socket>;

// Enough for any distance on earth. After this, the next address is tried.
const ATTEMPT_MS = 1_000;

/** Makes a TLS connection over `socket`, which is closed if that fails. Verifies `host`. */
export function secure(
  socket: Socket,
  host: string,
  secureContext: SecureContext,
  signal: AbortSignal,
): Promise<Socket> {
  const secured = connectTls({
    socket,
    secureContext,
    host,
    // RFC 6066 allows no addresses as server names.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ['http/1.1'],
    // Explicit, because the host may set NODE_TLS_REJECT_UNAUTHORIZED=0.
    // guard: server-certificate-verified
    rejectUnauthorized: true,
  });
  return ready(secured, 'secureConnect', signal);
}

/** Trusts Node's authorities and the operator's own. */
export function makeTrust(authorities: readonly string[]): Trust {
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext(
      authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] },
    );
    return context;
  };
}

/** Created on first use: it takes longer than the work of many plugins. */
export type Trust = () => SecureContext;

function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const settle = (act: () => void) => (): void => {
      signal.removeEventListener('abort', abort);
      act();
    };
    // These listeners stay: an error before the next owner listens must not end the process.
    socket.on('error', (error) => settle(() => reject(error))());
    socket.once(
      'close',
      settle(() => reject(new Error('closed'))),
    );
    socket.once(
      event,
      settle(() => resolve(socket)),
    );
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Connects to a URL's host through the operator's proxy with CONNECT, also for http:. The proxy
 * resolves the name and decides which addresses a plugin reaches. Here only names are checked. If
 * the proxy must not reach private networks, it has to refuse them itself.
 */
export type Tunnel = (url: URL, signal: AbortSignal) => Promise<Socket>;

/**
 * Parses a proxy's URL, which may contain user and password. Throws `INVALID_OPTIONS`. For an https
 * proxy, `authorities` are trusted in addition to Node's.
 */
export function makeTunnel(proxy: string, authorities: readonly string[]): Tunnel {
  const { origin, authorization } = parseProxy(proxy);
  return async (url, signal) => {
    // Loaded on first use, because most engines have no proxy.
    const { Client } = await import('undici');
    const client = new Client(origin, {
      connect: authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] },
    });
    try {
      const path = `${url.hostname}:${portOf(url)}`;
      const { statusCode, socket } = await client.connect({
        path,
        signal,
        headers: {
          host: path,
          ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
        },
      });
      if (statusCode === 200 && socket instanceof Socket) return socket;
      socket.on('error', () => {}).destroy();
      throw new Error(`the proxy answered ${statusCode}`);
    } finally {
      // The client has released the socket, or the socket is not needed.
      client.destroy().catch(() => {});
    }
  };
}

function parseProxy(proxy: string): { origin: string; authorization: string | undefined } {
  const url = parseProxyUrl(proxy);
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    origin: url.origin,
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}
