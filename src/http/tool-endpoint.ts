import { isRecord } from '../../sandbox/wire/json.js';
import type { Engine } from '../engine/engine-api.js';
import { isBulkheadError } from '../errors.js';
import { textOf } from '../plugin/answer.js';
import { createApp } from './app.js';
import type { Route } from './route.js';
import { parseBody, readBody } from './body.js';
import { completeCredentials } from './credentials.js';
import { SERVER_LIMITS } from './limits.js';
import { listen, ownHosts } from './listen.js';
import { HttpRefusal, jsonResponse } from './refusal.js';

export interface ToolEndpointSpec {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Every request needs it as `Authorization: Bearer`. */
  readonly token: string;
}

/** The tools of an engine as plain JSON over HTTP, for the author of a plugin. */
export interface ToolEndpoint {
  /** e.g. `http://127.0.0.1:4180` */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `POST /tools/NAME`, whose body is the input, and `GET /openapi.json`, which describes the tools. It
 * listens on loopback alone, behind the same door as `bulkhead serve`.
 */
export async function startToolEndpoint(
  engine: Engine,
  { port, token }: ToolEndpointSpec,
): Promise<ToolEndpoint> {
  let fetch: ((request: Request, markBusy: () => void) => Promise<Response>) | undefined;
  const listener = await listen(
    async (request, markBusy) =>
      (await fetch?.(request, markBusy)) ?? new Response(null, { status: 503 }),
    { host: '127.0.0.1', port, maxConnections: SERVER_LIMITS.maxConnections },
  );
  const app = createApp({
    engine,
    routes: routesOf(engine),
    door: {
      credentials: completeCredentials({ call: token }),
      openLoopback: false,
      hosts: ownHosts(listener.port, listener.url),
    },
  });
  fetch = app.fetch;
  return { url: listener.url, close: () => listener.close(false) };
}

function routesOf(engine: Engine): readonly Route[] {
  return [
    {
      path: '/openapi.json',
      access: ['call'],
      fetch: async ({ method }) => {
        if (method !== 'GET') throw new HttpRefusal(405, 'Read the description with GET');
        return jsonResponse(describeApi(engine));
      },
    },
    { path: '/tools/:name', access: ['call'], fetch: (request) => callTool(engine, request) },
  ];
}

async function callTool(engine: Engine, request: Request): Promise<Response> {
  if (request.method !== 'POST') throw new HttpRefusal(405, 'Call a tool with POST');
  const name = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
  const text = await readBody(request, SERVER_LIMITS);
  const input = text.trim() === '' ? {} : parseBody(text, SERVER_LIMITS);
  if (!isRecord(input)) throw new HttpRefusal(400, 'The input must be a JSON object');
  try {
    const result = await engine.call(name, input, { signal: request.signal });
    const { durationMs, value, structured, content } = result;
    const ms = Math.round(durationMs * 10) / 10;
    if (!result.isError) {
      return jsonResponse({
        ok: true,
        result: value ?? structured ?? textOf(content),
        durationMs: ms,
      });
    }
    const error = { code: result.code ?? 'TOOL_FAILED', message: textOf(content) };
    return jsonResponse({ ok: false, error, durationMs: ms });
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    const { code, message } = error;
    throw new HttpRefusal(code === 'TOOL_NOT_FOUND' ? 404 : 400, message, { data: { code } });
  }
}

/** OpenAPI 3.1, whose schemas are JSON Schema as the tools declare them. */
function describeApi({ catalog }: Engine): object {
  const paths = catalog.list().map(({ name, title, description, inputSchema }) => [
    `/tools/${name}`,
    {
      post: {
        operationId: name,
        summary: title,
        description,
        requestBody: { content: { 'application/json': { schema: inputSchema } } },
        responses: { 200: { description: 'The result, or the failure of the tool' } },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    info: { title: 'Tools of plugins in development', version: '0' },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
  };
}
