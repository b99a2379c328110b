import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { ServedTools } from '../../adapters/served.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import { textOf } from '../../plugin/answer.js';
import type { AcquireSlot } from '../route.js';
import { parseBody, readBody } from '../body.js';
import type { ServerLimits } from '../limits.js';
import { HttpRefusal, jsonResponse, refusalOf } from '../refusal.js';
import { type Principal, tenantOf, type Verifier } from '../tokens/verify.js';
import type { VertesiaOptions } from './options.js';
import { refusalOfThrow, responseOf, runContext, toolsOf, withoutEndpoints } from './protocol.js';

export interface ApplicationSpec {
  readonly engine: Engine;
  readonly served: ServedTools;
  readonly options: VertesiaOptions;
  readonly verify: Verifier['verify'];
  readonly limits: ServerLimits;
}

/** The paths of an application other than its tools, below the same base. */
export const APPLICATION_PATHS = [
  '/package',
  '/activities',
  '/activities/*',
  '/hooks/*',
  '/skills',
  '/skills/*',
] as const;

/**
 * The parts of a Vertesia application other than the tools: its package, and the tools as activities of
 * workflows. It has no skills and no hooks. Every answer requires a valid token.
 */
export function makeApplication(
  spec: ApplicationSpec,
): (request: Request, base: string, acquireSlot?: AcquireSlot) => Promise<Response> {
  return async (request, base, acquireSlot) => {
    const path = new URL(request.url).pathname.slice(base.length);
    const [, kind = '', name = ''] = path.split('/');
    try {
      // An installer tries the hooks, and 404 means that there are none.
      if (kind === 'hooks') throw notFound(`App hook is not registered: ${name.slice(0, 100)}`);
      const principal = await spec.verify(request.headers.get('authorization'));
      acquireSlot?.(tenantOf(principal));
      if (kind === 'package') return jsonResponse(packageOf(spec, request));
      if (kind === 'skills') return skills(spec, request);
      if (request.method === 'GET') return jsonResponse(listing(spec, name));
      if (request.method === 'POST') return await runActivity(spec, request, principal, name);
      throw new HttpRefusal(405, `${request.method} is not supported here`);
    } catch (error) {
      const { status, message, data, headers } = refusalOf(error);
      const result = kind === 'activities' ? { result: null, is_error: true } : {};
      const body = { ...result, status, error: message, ...(data && { data }) };
      return jsonResponse(body, status, headers);
    }
  };
}

function packageOf({ served, options }: ApplicationSpec, request: Request): object {
  const requested = new URL(request.url).searchParams.get('scope') ?? 'all';
  const scopes = requested.split(',');
  const has = (scope: string): boolean => scopes.includes(scope) || scopes.includes('all');
  return {
    ...(has('tools') ? { tools: toolsOf(served, { ...options, details: true }) } : {}),
    ...(has('activities') ? { activities: activitiesOf(served) } : {}),
    ...(has('hooks') ? { hooks: [] } : {}),
  };
}

function skills({ options }: ApplicationSpec, request: Request): Response {
  if (request.method !== 'GET') throw notFound('There are no skills here');
  const { title = 'Bulkhead' } = options;
  return jsonResponse({ src: request.url, title, description: '', tools: [] });
}

function listing(spec: ApplicationSpec, collection: string): object {
  const activities = activitiesOf(spec.served).filter(
    (one) => collection === '' || one.collection === collection,
  );
  if (collection !== '' && activities.length === 0) throw notFound('There is no such collection');
  const { title = 'Bulkhead', description = '' } = spec.options;
  return { title, description, activities };
}

interface Activity {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly collection: string;
  readonly url: string;
  readonly input_schema: JsonObject;
}

function activitiesOf(served: ServedTools): readonly Activity[] {
  return served.list().map((tool) => {
    const collection = collectionOf(tool);
    const { name, title, description, inputSchema } = tool;
    const url = `activities/${collection}`;
    return { name, title, description, collection, url, input_schema: inputSchema };
  });
}

/** A plugin's id as a segment of a path. */
function collectionOf({ plugin }: CatalogTool): string {
  return (
    plugin
      .toLowerCase()
      .replace(/[^a-z\d]+/g, '-')
      .replace(/^-|-$/g, '') || 'tools'
  );
}

async function runActivity(
  { engine, served, limits }: ApplicationSpec,
  request: Request,
  principal: Principal,
  collection: string,
): Promise<Response> {
  const body = parseBody(await readBody(request, limits), limits);
  const name = isRecord(body) ? body['activity_name'] : undefined;
  if (!isRecord(body) || typeof name !== 'string' || name === '') {
    throw new HttpRefusal(400, 'Missing required field: activity_name');
  }
  const { params = {}, metadata = {} } = body;
  if (!isJsonObject(params)) throw new HttpRefusal(400, 'params must be an object');
  const tool = served.find(name);
  if (tool === undefined || (collection !== '' && collectionOf(tool) !== collection)) {
    throw notFound(`Activity not found: ${name.slice(0, 200)}`);
  }
  const passed = isJsonObject(metadata) ? withoutEndpoints(metadata) : {};
  try {
    const result = await engine.call(tool.name, params, {
      signal: request.signal,
      context: runContext(passed, undefined),
      tenant: tenantOf(principal),
    });
    responseOf('', result);
    if (!result.isError) return jsonResponse({ result: result.value ?? null, is_error: false });
    return jsonResponse({ result: null, is_error: true, error: textOf(result.content) });
  } catch (error) {
    throw refusalOfThrow(error);
  }
}

function notFound(message: string): HttpRefusal {
  return new HttpRefusal(404, message);
}
