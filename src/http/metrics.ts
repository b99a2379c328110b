import type { EventListener } from '../events.js';
import { makeMeter } from '../metrics/meter.js';
import { type Listening, listen, type ListenOptions } from './listen.js';

/** Scrapers are few, and each has one connection. */
const MAX_CONNECTIONS = 32;

/** Counts what an engine tells, and gives it to whoever scrapes, on a port of its own. */
export interface MetricsServer {
  /** For the engine's `onEvent`. */
  readonly listener: EventListener;
  /** Throws `INVALID_OPTIONS` where the port cannot be had. */
  listen(options: Omit<ListenOptions, 'maxConnections'>): Promise<Listening>;
}

export function makeMetricsServer(): MetricsServer {
  const meter = makeMeter();
  return {
    listener: meter.listener,
    listen: (options) =>
      listen((request) => Promise.resolve(answer(request, meter, options)), {
        ...options,
        maxConnections: MAX_CONNECTIONS,
      }),
  };
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;

function answer(
  request: Request,
  { text, contentType }: ReturnType<typeof makeMeter>,
  { host }: Pick<ListenOptions, 'host'>,
): Response {
  const { hostname, pathname } = new URL(request.url);
  // A page that has given its own name our address is not to read who runs what here.
  if (LOOPBACK.test(host) && !LOOPBACK.test(hostname.replace(/^\[|\]$/g, ''))) {
    return new Response('This server has another name.\n', { status: 421 });
  }
  if (pathname !== '/metrics') return new Response('There is only /metrics.\n', { status: 404 });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response('Only GET.\n', { status: 405, headers: { allow: 'GET, HEAD' } });
  }
  return new Response(text(), {
    headers: {
      'content-type': contentType,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}
