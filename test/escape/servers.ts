import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEachFile } from '../tidying.js';

export interface Served {
  readonly url: string;
  readonly port: number;
  /** What was asked for: paths, or the hosts that a tunnel was wanted to. */
  readonly visits: string[];
}

const open = new Set<Server>();
afterEachFile(() => {
  for (const server of open) {
    server.close();
    server.closeAllConnections();
  }
  open.clear();
});

/** A server on loopback until the end of the test file. */
export async function serve(listener: RequestListener): Promise<Served> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(request.url ?? '');
    listener(request, response);
  });
  server.on('connect', (request, socket) => {
    visits.push(request.url ?? '');
    socket.on('error', () => {}).end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  open.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, visits };
}

/**
 * A proxy that leads nowhere. With it no test sends a packet off this machine, even where the guard
 * that it tests is broken: then the proxy is asked.
 */
export function serveDeadEnd(): Promise<Served> {
  return serve((_request, response) => response.writeHead(403).end());
}
