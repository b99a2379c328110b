import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { Origin } from '../origin.js';

/** `fetch` for one origin, by the network broker's rules. */
export type OriginFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export function makeFetch(origin: Origin): OriginFetch {
  return async (url, init = {}) => {
    const signal = init.signal ?? new AbortController().signal;
    const body = bytesOf(init.body);
    const reply = await origin.send(
      {
        url: String(url),
        method: init.method ?? 'GET',
        headers: [...new Headers(init.headers)],
        ...(body === undefined ? {} : { body }),
      },
      signal,
    );
    const stream = reply.body === undefined ? null : streamOf(reply.body);
    return new Response(BODILESS.has(reply.status) ? null : stream, {
      status: reply.status,
      statusText: reply.statusText,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

const BODILESS: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** MCP sends texts and nothing else. */
function bytesOf(body: RequestInit['body']): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  throw new TypeError('only a text is sent');
}

function streamOf(source: ByteSource): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      const chunk = await source.pull();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
    cancel: (reason) => source.cancel(String(reason)),
  });
}
