import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { afterEachTest } from '../../tidying.js';

const open = new Set<{ close(): void }>();
afterEachTest(() => {
  for (const server of open) server.close();
  open.clear();
});

export interface Served {
  readonly port: number;
  /** What an override leads to. */
  readonly url: string;
  /** Requests as `METHOD path`, in order. */
  readonly seen: string[];
  /** Connections that were ever made. */
  readonly connections: number;
}

/** An HTTP server on loopback until the end of the test. */
export async function serve(listener: RequestListener): Promise<Served> {
  const seen: string[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    // A client that goes away is part of many tests.
    response.on('error', () => {});
    listener(request, response);
  });
  return listen(server, seen);
}

/** A server that sends these bytes to each client that sends anything, or does what `talk` does. */
export async function serveRaw(talk: string | ((socket: Socket) => void)): Promise<Served> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    if (typeof talk === 'function') talk(socket);
    else socket.once('data', () => socket.end(talk));
  });
  return listen(server, []);
}

export async function listen(server: Server | TcpServer, seen: string[]): Promise<Served> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  open.add({
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    seen,
    get connections() {
      return connections;
    },
  };
}
