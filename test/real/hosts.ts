import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HostRoute, SeenRequest } from './scenario.js';

/** Loopback servers, one for each host of a scenario. */
export interface Hosts {
  /** By host name. */
  readonly origins: Readonly<Record<string, string>>;
  /** The requests since the last call of `take`. */
  take(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Headers in which runtimes do not differ by themselves. */
const COMPARED = ['authorization', 'content-type', 'x-api-key', 'x-subscription-token', 'accept'];

export async function openHosts(
  hosts: Readonly<Record<string, readonly HostRoute[]>>,
): Promise<Hosts> {
  let seen: SeenRequest[] = [];
  const servers = await Promise.all(
    Object.entries(hosts).map(async ([host, routes]) => {
      const server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(Buffer.from(chunk));
        const { method = 'GET', url = '/' } = request;
        const headers = Object.fromEntries(
          COMPARED.flatMap((name) => {
            const value = request.headers[name];
            return typeof value === 'string' ? [[name, value]] : [];
          }),
        );
        // Multipart boundaries are random.
        const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
        const plain = (text: string): string =>
          boundary === undefined ? text : text.replaceAll(boundary, 'BOUNDARY');
        seen.push({
          host,
          method,
          path: url,
          headers: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, plain(value)]),
          ),
          body: plain(Buffer.concat(chunks).toString('utf8')),
        });
        const route = routes.find(
          (one) => (one.method ?? method) === method && url.startsWith(one.path ?? ''),
        );
        const { status = 200, body = 'no route', type } = route ?? { status: 404 };
        const isText = typeof body === 'string';
        response.writeHead(status, {
          'content-type': type ?? (isText ? 'text/plain' : 'application/json'),
        });
        response.end(isText ? body : JSON.stringify(body));
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
      const { port } = server.address() as AddressInfo;
      return { host, server, origin: `http://127.0.0.1:${port}` };
    }),
  );
  return {
    origins: Object.fromEntries(servers.map(({ host, origin }) => [host, origin])),
    take: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
    close: async () => {
      for (const { server } of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}
