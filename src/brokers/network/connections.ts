import type { Client } from 'undici';
import type { Dial } from './dial.js';
import type { NetworkLimits } from '../limits.js';

/** The connections of one plugin. Plugins do not share connections. */
export interface Connections {
  /** An idle connection to the URL's origin, or a new one, which is dialled on first use. */
  lease(url: URL, signal: AbortSignal): Promise<Lease>;
  /** Ends all connections, including those in use. */
  close(): Promise<void>;
}

/** One connection, for one request. */
export interface Lease {
  readonly client: Pick<Client, 'dispatch'>;
  /** The address at the other end, once connected. */
  readonly address: string | undefined;
  /** Returns the connection. If `ok`, it may be reused, otherwise it is closed. */
  release(ok: boolean): void;
}

interface Connection {
  readonly client: Client;
  readonly origin: string;
  address: string | undefined;
  /** The signal of the current request. A dial ends with its request. */
  signal: AbortSignal;
  leased: boolean;
}

export function makeConnections(dial: Dial, limits: NetworkLimits): Connections {
  const all = new Set<Connection>();

  const end = (connection: Connection): void => {
    all.delete(connection);
    // Not inside the parser's call that led here.
    queueMicrotask(() => connection.client.destroy().catch(() => {}));
  };

  const open = async (url: URL, signal: AbortSignal): Promise<Connection> => {
    // Loaded on first use, because most processes send no request.
    const undici = await import('undici');
    const client = new undici.Client(url.origin, {
      // undici dials at the first request, and again if the server has closed an idle connection.
      // Every dial has the same checks.
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
      // The broker uses its own timers, because undici's run in steps of half a second.
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
    lease: async (url, signal) => {
      const reused = idle().find(({ origin }) => origin === url.origin);
      const connection = reused ?? (await open(url, signal));
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

/** Why a dial failed, as its cause. It has no code, because undici retries on some codes. */
export class DialError extends Error {
  override readonly name = 'DialError';

  constructor(cause: unknown) {
    super('no connection', { cause });
  }
}
