import type { EventListener } from '../events.js';
import type { Meter, MeterOptions } from '../metrics/meter.js';
import { type HttpListener, isLoopback, listen, type ListenOptions, ownHosts } from './listen.js';
import { admit, type OperatorDoor } from './operator.js';
import { HttpRefusal } from './refusal.js';

/** Each scraper has one connection. */
const MAX_CONNECTIONS = 32;

/** Counts an engine's events and serves the metrics on a port of its own. */
export interface MetricsServer {
  /** For the engine's `onEvent`. */
  readonly listener: EventListener;
  /** For the server's `onRequest`. */
  readonly request: Meter['request'];
  /** Serves the holder of the token to view. Throws `INVALID_OPTIONS` if the port is not available. */
  listen(
    options: Omit<ListenOptions, 'maxConnections'>,
    door: Pick<OperatorDoor, 'credentials' | 'openLoopback'>,
  ): Promise<HttpListener>;
}

export async function makeMetricsServer(
  metered: Pick<MeterOptions, 'remotes' | 'runners' | 'build'> = {},
): Promise<MetricsServer> {
  // Loaded here: the library for metrics takes longer to load than most commands take to run.
  const { makeMeter } = await import('../metrics/meter.js');
  const meter = makeMeter({ ...metered, process: true });
  return {
    listener: meter.listener,
    request: meter.request,
    listen: async (options, door) => {
      const loopback = isLoopback(options.host);
      // No name is right until the port is known.
      let hosts: ReadonlySet<string> = new Set(loopback ? ['?'] : []);
      const listener = await listen(
        (request) =>
          answer(request, meter, {
            // A copy would fix the tokens of now.
            credentials: door.credentials,
            openLoopback: loopback && door.openLoopback,
            hosts,
          }),
        { ...options, maxConnections: MAX_CONNECTIONS },
      );
      if (loopback) hosts = ownHosts(listener.port, listener.url);
      return listener;
    },
  };
}

async function answer(
  request: Request,
  { text, contentType }: Meter,
  door: OperatorDoor,
): Promise<Response> {
  try {
    admit(request, ['view'], door);
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    return new Response(`${error.message}.\n`, { status: error.status, headers: error.headers });
  }
  if (new URL(request.url).pathname !== '/metrics')
    return new Response('There is only /metrics.\n', { status: 404 });
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response('Only GET.\n', { status: 405, headers: { allow: 'GET, HEAD' } });
  }
  return new Response(await text(), {
    headers: {
      'content-type': contentType,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}
