import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { Origin } from '../origin.js';

/** `fetch` for one origin, by the network broker's rules. */
export function makeFetch(
  origin: Origin,
  onNoStream?: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
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
    if (init.method === 'GET' && reply.status === 405) onNoStream?.();
    const stream = reply.body === undefined ? null : streamOf(reply.body);
    return new Response(WITHOUT_BODY.has(reply.status) ? null : stream, {
      status: reply.status,
      statusText: reply.statusText,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
  };
}

const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** MCP sends text, and OAuth forms. */
function bytesOf(body: RequestInit['body']): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) {
    return new TextEncoder().encode(String(body));
  }
  throw new TypeError('the body of a request to an MCP server must be a text or a form');
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
