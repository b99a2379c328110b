import { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';

import { Client } from 'undici';

import { BulkheadError } from '../../errors.js';
import { portOf } from './names.js';

/**
 * Opens a connection to a URL's host through the operator's proxy, by CONNECT, for http: as well.
 * The proxy resolves the name, so which addresses a plugin reaches is the proxy's to decide: here
 * only names are checked. A proxy that must not reach private networks has to say so itself.
 */
export type Tunnel = (url: URL, signal: AbortSignal) => Promise<Socket>;

/**
 * Reads the URL of a proxy, with user and password where it wants them. Throws `INVALID_OPTIONS`.
 * `authorities` are certificates to trust besides Node's own, for a proxy that is itself https.
 */
export function makeTunnel(proxy: string, authorities: readonly string[]): Tunnel {
  const { origin, authorization } = parseProxy(proxy);
  return async (url, signal) => {
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
      // The socket has left the client by now, or is of no more use.
      client.destroy().catch(() => {});
    }
  };
}

function parseProxy(proxy: string): { origin: string; authorization: string | undefined } {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The proxy is not an http: or https: URL, as in http://proxy.example:3128.',
      { option: 'proxy' },
    );
  }
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    origin: url.origin,
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  };
}
