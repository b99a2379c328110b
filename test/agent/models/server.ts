import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEachFile } from '../../tidying.js';

export interface Answer {
  readonly status?: number;
  readonly type?: string;
  /** Where it says that the answer is. */
  readonly location?: string;
  /** Written one after the other, so that a reader sees them apart. */
  readonly pieces: readonly string[];
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

const servers: { close(): void }[] = [];

afterEachFile(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server on loopback that gives these answers, one for each request. */
export async function serveModel(
  answers: readonly Answer[],
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body: Readonly<Record<string, unknown>> = JSON.parse(await text(request));
      const {
        status = 200,
        type = 'text/event-stream',
        location,
        pieces,
      } = answers[asked.length] ?? {
        status: 500,
        pieces: [],
      };
      asked.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(status, {
        'content-type': type,
        ...(location === undefined ? {} : { location }),
      });
      for (const piece of pieces) {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      response.end();
    })();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, asked };
}

/** Server-sent events with that data, each a piece of its own. */
export function events(...data: readonly (object | string)[]): string[] {
  return data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
}
