import { Hono } from 'hono';
import type { Json } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { admit, type OperatorDoor, requireOwnName } from './operator.js';
import { HttpRefusal, jsonResponse, refusalOf } from './refusal.js';
import { makePlainListener, type PlainListener } from './plain-calls.js';
import { makeRequestSlots, refusalOfSlots, type RequestSlots } from './request-slots.js';
import type { AcquireSlot, RequestRecord, Route } from './route.js';

export interface AppSpec {
  readonly engine: Pick<Engine, 'listing'>;
  readonly routes: readonly Route[];
  readonly door: OperatorDoor;
  /** The public keys that verify this server's own signatures. */
  readonly jwks?: () => Promise<Json>;
  readonly limits?: Partial<ServerLimits>;
  readonly onRequest?: (record: RequestRecord) => void;
  /** Receives unexpected errors, which the answer does not describe. */
  readonly onFault?: (error: unknown) => void;
}

/** A server before it listens. */
export interface App {
  /** Calls `onSlot` when the request has a slot: never for an unauthenticated caller. */
  fetch(request: Request, onSlot?: () => void): Promise<Response>;
  /** The faster ways of its routes, for a server of Node. */
  readonly plain: PlainListener;
  /** Refuses new requests. Resolves when all requests in progress are answered. */
  drain(): Promise<void>;
}

/** Serves all routes of one port. */
export function createApp(spec: AppSpec): App {
  const limits = { ...SERVER_LIMITS, ...spec.limits };
  const slots = makeRequestSlots(limits.maxRequests);
  const app = new Hono<{ Bindings: Bindings }>({ strict: false });

  for (const path of ['/healthz', '/health']) app.get(path, () => jsonResponse({ status: 'ok' }));
  for (const path of ['/readyz', '/ready']) app.get(path, () => readiness(slots));
  app.get('/api/plugins', ({ req, env }) =>
    withSlot(spec, slots, env, (acquireSlot) => {
      admit(req.raw, ['view'], spec.door);
      acquireSlot();
      return jsonResponse(spec.engine.listing());
    }),
  );
  for (const path of ['/.well-known/jwks', '/.well-known/jwks.json', '/api/v1/.well-known/jwks']) {
    app.get(path, ({ env }) =>
      withSlot(spec, slots, env, async (acquireSlot) => {
        acquireSlot();
        return jsonResponse((await spec.jwks?.()) ?? { keys: [] }, 200, {
          'cache-control': 'public, max-age=300',
        });
      }),
    );
  }
  for (const { path, access, fetch, isSubscription } of spec.routes) {
    app.all(path, ({ req, env }) =>
      withSlot(
        spec,
        slots,
        env,
        (acquireSlot) => {
          if (access === 'console') {
            // guard: console-host-header-checked
            requireOwnName(req.raw, spec.door.consoleHosts ?? spec.door.hosts);
          } else if (access === 'open' || access === 'verified') {
            // guard: public-host-header-checked
            requireOwnName(req.raw, spec.door.hosts);
          } else {
            // guard: operator-routes-need-credential
            admit(req.raw, access, spec.door);
          }
          // guard: unverified-caller-takes-no-slot
          if (access !== 'verified' && access !== 'console') acquireSlot();
          return fetch(req.raw, acquireSlot);
        },
        isSubscription?.(req.raw),
      ),
    );
  }
  app.notFound(({ req }) =>
    refused(new HttpRefusal(404, `Not found: ${req.method} ${req.path.slice(0, 200)}`)),
  );

  const routes = [...OWN_ROUTES, ...spec.routes.map(({ path }) => path)];
  return {
    fetch: async (request, onSlot = () => {}) => {
      const startedAt = performance.now();
      const response = await app.fetch(request, { onSlot });
      const { pathname } = new URL(request.url);
      spec.onRequest?.({
        method: request.method,
        path: pathname,
        route: routeOf(pathname, routes),
        status: response.status,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      });
      return response;
    },
    plain: makePlainListener({
      routes: spec.routes,
      door: spec.door,
      slots,
      maxBodyBytes: limits.maxBodyBytes,
      ...(spec.onRequest === undefined ? {} : { onRequest: spec.onRequest }),
    }),
    drain: () => slots.drain(),
  };
}

const OWN_ROUTES: readonly string[] = [
  '/healthz',
  '/health',
  '/readyz',
  '/ready',
  '/api/plugins',
  '/.well-known/jwks',
  '/.well-known/jwks.json',
  '/api/v1/.well-known/jwks',
];

/** Callers choose paths, so that a metric names only the paths of endpoints. */
function routeOf(path: string, routes: readonly string[]): string {
  const plain = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return (
    routes.find((route) =>
      /[*:]/.test(route)
        ? plain.startsWith(route.replace(/[*:].*$/, ''))
        : plain === route.replace(/\/+$/, ''),
    ) ?? '(other)'
  );
}

/** Passed to handlers with each request. */
interface Bindings {
  readonly onSlot: () => void;
}

/** Only the status: this answer is for any caller, under any host name. */
function readiness({ draining }: RequestSlots): Response {
  return draining ? jsonResponse({ status: 'draining' }, 503) : jsonResponse({ status: 'ready' });
}

/** Runs a handler, releases its slot when the answer ends, and turns errors into answers. */
async function withSlot(
  { onFault }: Pick<AppSpec, 'onFault'>,
  slots: RequestSlots,
  { onSlot }: Bindings,
  answer: (acquireSlot: AcquireSlot) => Response | Promise<Response>,
  isSubscription = false,
): Promise<Response> {
  let releaseSlot: (() => void) | undefined;
  const release = (): void => releaseSlot?.();
  const acquireSlot = (caller?: string): void => {
    releaseSlot ??= slots.acquire(caller);
    if (releaseSlot === undefined) throw refusalOfSlots(slots);
    onSlot();
  };
  try {
    const response = await answer(acquireSlot);
    if (isSubscription) release();
    return releaseAtEnd(response, release);
  } catch (error) {
    release();
    if (!(error instanceof HttpRefusal)) onFault?.(error);
    return refused(refusalOf(error));
  }
}

/** An event stream and a file need their slot until their content ends. Any other answer is complete. */
function releaseAtEnd(response: Response, release: () => void): Response {
  const { body } = response;
  // guard: streamed-answer-keeps-slot
  const isStream = /event-stream|octet-stream/.test(response.headers.get('content-type') ?? '');
  if (body === null || !isStream) {
    release();
    return response;
  }
  const reader = body.getReader();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      release();
    },
    cancel: async (reason) => {
      release();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, response);
}

function refused({ status, message, headers, data }: HttpRefusal): Response {
  const body = { status, error: message, ...(data === undefined ? {} : { data }) };
  return jsonResponse(body, status, headers);
}
