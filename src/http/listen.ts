import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { BulkheadError } from '../errors.js';
import { limitConnections } from './connections.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes one that is free. */
  readonly port: number;
  readonly maxConnections: number;
}

/** A server that takes connections. */
export interface Listening {
  /** e.g. `http://127.0.0.1:4173` */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, and ends those that nobody uses. */
  stop(): void;
  /** Ends every connection, once what was answered on it has left where `graceful`. */
  close(graceful: boolean): Promise<void>;
}

/** Times that hold before a request is anybody's. A client that is slow on purpose costs nothing. */
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  // Node's own is half a minute, and the others would be longer by that.
  connectionsCheckingInterval: 1_000,
};

/** For the last bytes of answers to leave, once all of them were given. */
const FLUSH_MS = 2_000;
const SWEEP_MS = 20;

/**
 * Serves `fetch` on a port, which says by `admitted` that it knows who asks: until then the connection
 * may be hung up on where there are too many. Throws `INVALID_OPTIONS` where the port cannot be had.
 */
export async function listen(
  fetch: (request: Request, admitted: () => void) => Promise<Response>,
  { host, port, maxConnections }: ListenOptions,
): Promise<Listening> {
  const server = createServer(TIMES);
  const connections = limitConnections(server, maxConnections);
  server.on('request', (incoming, outgoing) => {
    const admitted = (): void => connections.hold(incoming, outgoing);
    const listener = getRequestListener((request) => fetch(request, admitted), {
      overrideGlobalObjects: false,
    });
    void listener(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    stop: () => {
      server.close();
      server.closeIdleConnections();
    },
    close: async (graceful) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
      const cut = setTimeout(() => server.closeAllConnections(), graceful ? FLUSH_MS : 0);
      await closed;
      clearInterval(sweep);
      clearTimeout(cut);
    },
  };
}

function cannotListen(error: Error, host: string, port: number): BulkheadError {
  const taken = 'code' in error && error.code === 'EADDRINUSE';
  return new BulkheadError(
    'INVALID_OPTIONS',
    taken
      ? `Port ${port} of ${host} is taken. Choose another with --port; 0 takes one that is free.`
      : `${host}:${port} cannot be listened on: ${error.message}`,
    { option: 'port' },
    { cause: error },
  );
}
