import { Client } from 'undici';

import type { Dial } from './dial.js';
import type { NetworkLimits } from './limits.js';

/** The connections of one plugin. Nothing of them is shared with another's. */
export interface Connections {
  /** A connection to the URL's origin, kept from before or (when it is first used) dialled. */
  lease(url: URL, signal: AbortSignal): Lease;
  /** Ends all of them, in use or not. */
  close(): Promise<void>;
}

/** One connection, for one request. */
export interface Lease {
  readonly client: Client;
  /** The address at the other end, once connected. */
  readonly address: string | undefined;
  /** Gives it back: to be used again where `ok`, to be closed where not. */
  release(ok: boolean): void;
}

interface Connection {
  readonly client: Client;
  readonly origin: string;
  address: string | undefined;
  /** Of the request that uses it now: a dial is for that request, and ends with it. */
  signal: AbortSignal;
  leased: boolean;
}

export function makeConnections(dial: Dial, limits: NetworkLimits): Connections {
  const all = new Set<Connection>();

  const end = (connection: Connection): void => {
    all.delete(connection);
    // Not in the middle of the parser's call that brought us here.
    queueMicrotask(() => connection.client.destroy().catch(() => {}));
  };

  const open = (url: URL, signal: AbortSignal): Connection => {
    const client = new Client(url.origin, {
      // undici dials when a request needs it: the first time, and again where a server has closed
      // a connection that was kept. Both go through the same checks.
      connect: (_options, callback) => {
        dial(url, connection.signal)
          .then(
            ({ socket, address }) => {
              connection.address = address;
              callback(null, socket);
            },
            (error: unknown) => callback(new DialError(error), null),
          )
          .catch(() => end(connection));
      },
      maxHeaderSize: limits.maxResponseHeaderBytes,
      // The broker has alarms of its own: undici's run in steps of half a second.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 10_000,
      allowH2: false,
    });
    const connection: Connection = {
      client,
      origin: url.origin,
      address: undefined,
      signal,
      leased: true,
    };
    client.on('disconnect', () => {
      if (!connection.leased) end(connection);
    });
    all.add(connection);
    return connection;
  };

  const idle = (): Connection[] => [...all].filter(({ leased }) => !leased);

  return {
    lease: (url, signal) => {
      const kept = idle().find(({ origin }) => origin === url.origin);
      const connection = kept ?? open(url, signal);
      connection.leased = true;
      connection.signal = signal;
      let released = false;
      return {
        client: connection.client,
        get address() {
          return connection.address;
        },
        release: (ok) => {
          if (released) return;
          released = true;
          connection.leased = false;
          if (!ok) end(connection);
          const [oldest, ...others] = idle();
          if (oldest !== undefined && others.length >= limits.maxIdleConnections) end(oldest);
        },
      };
    },
    close: async () => {
      const clients = [...all].map(({ client }) => client);
      all.clear();
      await Promise.all(clients.map((client) => client.destroy().catch(() => {})));
    },
  };
}

/**
 * Why no connection came about. It has no code of its own, because undici tries again and again on
 * some codes; what happened is its cause.
 */
export class DialError extends Error {
  override readonly name = 'DialError';

  constructor(cause: unknown) {
    super('no connection', { cause });
  }
}
