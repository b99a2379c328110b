import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { ServedTools } from '../../adapters/served.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Engine } from '../../engine/engine-api.js';
import type { Admit } from '../app.js';
import { parseBody, readBody } from '../body.js';
import type { ServerLimits } from '../limits.js';
import { HttpRefusal, jsonResponse, refusalOf } from '../refusal.js';
import { type Principal, tenantOf, type Verify } from '../tokens/verify.js';
import { refusalOfThrow, responseOf } from './answer.js';
import { describeTools } from './discovery.js';
import type { VertesiaOptions } from './options.js';
import { runContext } from './run-context.js';

export interface ApplicationSpec {
  readonly engine: Engine;
  readonly served: ServedTools;
  readonly options: VertesiaOptions;
  readonly verify: Verify;
  readonly limits: ServerLimits;
}

/** The paths of an application beside its tools, each below the same base. */
export const APPLICATION_PATHS = [
  '/package',
  '/activities',
  '/activities/*',
  '/hooks/*',
  '/skills',
  '/skills/*',
] as const;

/**
 * What Vertesia asks of an application besides tools: its package, and the tools again as activities
 * of workflows. There are no skills and no hooks. All of it is for whoever brings a token.
 */
export function makeApplication(
  spec: ApplicationSpec,
): (request: Request, base: string, admit?: Admit) => Promise<Response> {
  return async (request, base, admit) => {
    const path = new URL(request.url).pathname.slice(base.length);
    const [, kind = '', name = ''] = path.split('/');
    try {
      // Whoever installs an application tries its hooks, and takes 404 for "there is none".
      if (kind === 'hooks') throw notFound(`App hook is not registered: ${name.slice(0, 100)}`);
      const principal = await spec.verify(request.headers.get('authorization'));
      admit?.(tenantOf(principal));
      if (kind === 'package') return jsonResponse(packageOf(spec, request));
      if (kind === 'skills') return skills(spec, request);
      if (request.method === 'GET') return jsonResponse(listing(spec, name));
      if (request.method === 'POST') return await runActivity(spec, request, principal, name);
      throw new HttpRefusal(405, `There is no ${request.method} here`);
    } catch (error) {
      const { status, message, data, headers } = refusalOf(error);
      const about = kind === 'activities' ? { result: null, is_error: true } : {};
      return jsonResponse(
        { ...about, status, error: message, ...(data && { data }) },
        status,
        headers,
      );
    }
  };
}

function packageOf({ served, options }: ApplicationSpec, request: Request): object {
  const asked = new URL(request.url).searchParams.get('scope') ?? 'all';
  const scopes = asked.split(',');
  const has = (scope: string): boolean => scopes.includes(scope) || scopes.includes('all');
  const described: unknown = describeTools(served, { ...options, details: true });
  const tools = isRecord(described) ? described['tools'] : [];
  return {
    ...(has('tools') ? { tools } : {}),
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

/** A plugin's id as a word in a path. */
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
  if (!isJsonObject(params)) throw new HttpRefusal(400, 'params has to be an object');
  const tool = served.find(name);
  if (tool === undefined || (collection !== '' && collectionOf(tool) !== collection)) {
    throw notFound(`Activity not found: ${name.slice(0, 200)}`);
  }
  const { endpoints: _endpoints, ...passed } = isJsonObject(metadata) ? metadata : {};
  try {
    const result = await engine.call(tool.name, params, {
      signal: request.signal,
      context: runContext(passed, undefined),
      tenant: tenantOf(principal),
    });
    responseOf('', result);
    if (!result.isError) return jsonResponse({ result: result.value ?? null, is_error: false });
    const error = result.content.map(({ text }) => text).join('\n');
    return jsonResponse({ result: null, is_error: true, error });
  } catch (error) {
    throw refusalOfThrow(error);
  }
}

function notFound(message: string): HttpRefusal {
  return new HttpRefusal(404, message);
}

/** What JSON.parse made of an object holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
