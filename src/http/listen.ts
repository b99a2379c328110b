import { createServer, type IncomingMessage } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { reserveOwnPort } from '../own-ports.js';
import { BulkheadError, systemCode } from '../errors.js';
import { trackConnections } from './connections.js';
import { lingerAtClose } from './lingering-close.js';
import type { PlainListener } from './plain-calls.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Connections at once. A new connection closes the connection that has been idle for longest. */
  readonly maxConnections: number;
  /** Is asked before `fetch`. Default: `fetch` gets every request. */
  readonly plain?: PlainListener;
}

/** A server that accepts connections. */
export interface HttpListener {
  /** e.g. `http://127.0.0.1:4173` */
  readonly url: string;
  readonly port: number;
  /** From now on, each answer ends its connection (`Connection: close`). */
  drain(): void;
  /**
   * Accepts no more connections. If `graceful`, each open connection ends with its answer, or when it
   * has been without a request for a second; else all are cut.
   */
  close(graceful: boolean): Promise<void>;
}

/** Milliseconds. They apply before a request is authenticated. Stop clients that are slow on purpose. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  // Node's default is 30 s, which would be added to each of the others.
  connectionsCheckingInterval: 1_000,
};

/** Milliseconds for the last bytes of requests and answers, when the server closes. */
const FLUSH_MS = 2_000;

/**
 * Milliseconds for which a refused request is read before its answer. Shorter than `FLUSH_MS`, so that the
 * client of a slow upload has time to read the answer.
 */
const READ_AWAY_MS = 500;

/** Bytes of a request that are read although it is refused. */
const MAX_REFUSED_BYTES = 16 * 1024 * 1024;

/**
 * Serves `fetch` on a port. `fetch` calls `markBusy` when it has accepted the caller; until then, the
 * connection may be closed in favour of another. Throws `INVALID_OPTIONS` if the port is not available.
 */
export async function listen(
  fetch: (request: Request, markBusy: () => void) => Promise<Response>,
  { host, port, maxConnections, plain }: ListenOptions,
): Promise<HttpListener> {
  const server = createServer(TIMEOUTS);
  const connections = trackConnections(server, maxConnections);
  lingerAtClose(server);
  server.on('request', (incoming, outgoing) => {
    const markBusy = (): void => connections.markBusy(incoming, outgoing);
    const listener = getRequestListener((request) => fetch(request, markBusy), {
      overrideGlobalObjects: false,
    });
    const answer = async (): Promise<void> => {
      await readAway(incoming);
      await connections.held;
      await listener(incoming, outgoing);
    };
    if (connections.isEnding) {
      void answer();
      return;
    }
    const answered = plain?.(incoming, outgoing, markBusy);
    if (answered === undefined) void listener(incoming, outgoing);
    else {
      void answered.then(
        (isDone) => (isDone ? undefined : listener(incoming, outgoing)),
        // A fault of one request ends its connection, not the server.
        () => outgoing.destroy(),
      );
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  server.once('close', reserveOwnPort(bound));
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    drain: connections.endAfterAnswers,
    close: async (graceful) => {
      connections.endAfterAnswers();
      const cut = setTimeout(() => server.closeAllConnections(), graceful ? FLUSH_MS : 0);
      await connections.whenClosed();
      clearTimeout(cut);
    },
  };
}

/**
 * Reads the rest of a request, for clients that read no answer before they have sent their request. A
 * request that is slow or too large is answered before its end.
 */
async function readAway(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete) return;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, READ_AWAY_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // guard: refused-body-cap
      if (bytes > MAX_REFUSED_BYTES) done();
    });
    incoming.once('close', done);
    incoming.once('end', done);
  });
}

function cannotListen(error: Error, host: string, port: number): BulkheadError {
  const taken = systemCode(error) === 'EADDRINUSE';
  return new BulkheadError(
    'INVALID_OPTIONS',
    taken
      ? `Port ${port} of ${host} is in use. Choose another with --port; 0 chooses a free one.`
      : `The server cannot listen on ${host}:${port}: ${error.message}`,
    { option: 'port' },
    { cause: error },
  );
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

/** The Host headers of requests for a server on loopback with that port and URL. */
export function ownHosts(port: number, url: string): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  return new Set([...names, new URL(url).host.toLowerCase()]);
}
