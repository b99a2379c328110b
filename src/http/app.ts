import { Hono } from 'hono';
import type { Json } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import { type InFlight, makeInFlight } from './in-flight.js';
import { SERVER_LIMITS, type ServerLimits } from './limits.js';
import { requireOwnHost, requireOwnName, requireToken } from './operator.js';
import { HttpRefusal, jsonResponse, refusalOf } from './refusal.js';

/** Something served at a path of its own. */
export interface Mounted {
  readonly path: string;
  /**
   * `open`: anybody. `verified`: it checks who calls by itself, and takes its place with `admit` once
   * it knows. `operator`: the operator's token, where one was given.
   */
  readonly access: 'open' | 'verified' | 'operator';
  readonly fetch: (request: Request, admit: Admit) => Promise<Response>;
  /** Whether a request only waits for news, for as long as its sender likes: it takes no place. */
  readonly lasts?: (request: Request) => boolean;
}

/**
 * Takes a place for a request, once, and for whom where callers are told apart. Throws where there is
 * none: strangers never take one.
 */
export type Admit = (caller?: string) => void;

export interface AppSpec {
  readonly engine: Pick<Engine, 'catalog' | 'listing'>;
  readonly mounted: readonly Mounted[];
  /** What opens `/api/plugins`. Asked for with each request, as what follows is. */
  readonly token: string;
  /** Whether what is mounted for the operator asks for the token, too. */
  readonly tokenRequired: boolean;
  /** Host headers that are answered, in small letters; all of them where it is empty. */
  readonly hosts: ReadonlySet<string>;
  /** Public keys by which what this server signs is verified. */
  readonly jwks?: () => Promise<Json>;
  readonly limits?: Partial<ServerLimits>;
  readonly onRequest?: (record: RequestRecord) => void;
  /** Told of a fault of ours, of which the answer says nothing. */
  readonly onFault?: (error: unknown) => void;
}

export interface RequestRecord {
  readonly method: string;
  /** Without its query, which may hold what is nobody's business. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** A server before it listens. */
export interface App {
  /** `admitted` is called once the request has a place: never for a stranger's. */
  fetch(request: Request, admitted?: () => void): Promise<Response>;
  /** Takes no more requests; resolves once those under way are answered. */
  drain(): Promise<void>;
}

/** Everything that is served on one port. */
export function createApp(spec: AppSpec): App {
  const limits = { ...SERVER_LIMITS, ...spec.limits };
  const inFlight = makeInFlight(limits.maxRequests);
  const app = new Hono<{ Bindings: Bindings }>({ strict: false });

  for (const path of ['/healthz', '/health']) app.get(path, () => jsonResponse({ status: 'ok' }));
  for (const path of ['/readyz', '/ready']) app.get(path, () => readiness(spec, inFlight));
  app.get('/api/plugins', ({ req, env }) =>
    within(spec, inFlight, env, (admit) => {
      requireOwnHost(req.raw, spec.hosts);
      requireToken(req.raw, spec.token);
      admit();
      return jsonResponse(spec.engine.listing());
    }),
  );
  for (const path of ['/.well-known/jwks', '/.well-known/jwks.json', '/api/v1/.well-known/jwks']) {
    app.get(path, ({ env }) =>
      within(spec, inFlight, env, async (admit) => {
        admit();
        return jsonResponse((await spec.jwks?.()) ?? { keys: [] }, 200, {
          'cache-control': 'public, max-age=300',
        });
      }),
    );
  }
  for (const { path, access, fetch, lasts } of spec.mounted) {
    app.all(path, ({ req, env }) =>
      within(
        spec,
        inFlight,
        env,
        (admit) => {
          if (access === 'operator') {
            requireOwnHost(req.raw, spec.hosts);
            if (spec.tokenRequired) requireToken(req.raw, spec.token);
          } else {
            requireOwnName(req.raw, spec.hosts);
          }
          if (access !== 'verified') admit();
          return fetch(req.raw, admit);
        },
        lasts?.(req.raw),
      ),
    );
  }
  app.notFound(({ req }) =>
    refused(new HttpRefusal(404, `Not found: ${req.method} ${req.path.slice(0, 200)}`)),
  );

  return {
    fetch: async (request, admitted = () => {}) => {
      const began = performance.now();
      const response = await app.fetch(request, { admitted });
      spec.onRequest?.({
        method: request.method,
        path: new URL(request.url).pathname,
        status: response.status,
        durationMs: Math.round((performance.now() - began) * 10) / 10,
      });
      return response;
    },
    drain: () => inFlight.drain(),
  };
}

/** What a request brings along. */
interface Bindings {
  readonly admitted: () => void;
}

function readiness({ engine }: AppSpec, { draining }: InFlight): Response {
  const tools = engine.catalog.list().length;
  return draining
    ? jsonResponse({ status: 'draining', tools }, 503)
    : jsonResponse({ status: 'ready', tools });
}

/** Answers, with a place for who is admitted, and says what became of it in JSON whatever that is. */
async function within(
  { onFault }: Pick<AppSpec, 'onFault'>,
  inFlight: InFlight,
  { admitted }: Bindings,
  answer: (admit: Admit) => Response | Promise<Response>,
  lasts = false,
): Promise<Response> {
  let left: (() => void) | undefined;
  const leave = (): void => left?.();
  const admit = (caller?: string): void => {
    left ??= inFlight.enter(caller);
    if (left === undefined) throw inFlight.draining ? stopping() : full();
    admitted();
  };
  try {
    const response = await answer(admit);
    if (lasts) leave();
    return whenRead(response, leave);
  } catch (error) {
    leave();
    if (!(error instanceof HttpRefusal)) onFault?.(error);
    return refused(refusalOf(error));
  }
}

/** A stream of events is under way until it ends; any other answer is at hand when it is given. */
function whenRead(response: Response, leave: () => void): Response {
  const { body } = response;
  if (body === null || !(response.headers.get('content-type') ?? '').includes('event-stream')) {
    leave();
    return response;
  }
  const reader = body.getReader();
  const passed = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      leave();
    },
    cancel: async (reason) => {
      leave();
      await reader.cancel(reason);
    },
  });
  return new Response(passed, response);
}

function stopping(): HttpRefusal {
  return new HttpRefusal(503, 'This server is stopping', {
    headers: { connection: 'close', 'retry-after': '1' },
  });
}

function full(): HttpRefusal {
  return new HttpRefusal(429, 'Too many requests are under way', {
    headers: { 'retry-after': '1' },
  });
}

function refused({ status, message, headers, data }: HttpRefusal): Response {
  const body = { status, error: message, ...(data === undefined ? {} : { data }) };
  return jsonResponse(body, status, headers);
}
