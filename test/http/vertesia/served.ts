import { afterEachFile } from '../../tidying.js';
import type { Engine, EngineOptions } from '../../../src/index.js';
import { createVertesiaHandler, type VertesiaHandler } from '../../../src/http/vertesia.js';
import type { VertesiaOptions } from '../../../src/http/vertesia/options.js';
import { makePlugin, startEngine } from '../../engine/plugin-on-disk.js';
import { type Issuer, makeIssuer, type TokenSpec } from '../issuer.js';

export const URL_SERVED = 'https://tools.example/api/tools';

const handlers: VertesiaHandler[] = [];
afterEachFile(async () => {
  await Promise.all(handlers.splice(0).map((handler) => handler.close()));
});

export interface Served {
  readonly engine: Engine;
  readonly issuer: Issuer;
  readonly get: () => Promise<Answer>;
  /** Runs a tool with a token that is good. */
  readonly use: (name: string, input?: unknown, more?: object) => Promise<Answer>;
  readonly post: (body: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly bearer: (spec?: TokenSpec) => Promise<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

const source = `
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tool = (id, execute, more = {}) =>
  ({ id, name: id, description: 'Does ' + id, annotations: { readOnlyHint: true }, execute, ...more });
export const tools = [
  tool('weather', ({ city }) => 'Sunny in ' + city, { parameters: schema }),
  tool('object', () => ({ degrees: 20, list: [1] })),
  tool('nothing', () => undefined),
  tool('echo', (input) => input),
  tool('throws', () => { throw new Error('the pump is broken') }),
  tool('hangs', () => new Promise(() => {}), { timeout: 300 }),
  tool('waits', () => new Promise(() => {}), { timeout: 60000 }),
  tool('spins', () => { for (;;); }, { timeout: 300 }),
  tool('looks', () => fetch('https://elsewhere.example/')),
  tool('asks', () => 'asked', { annotations: { readOnlyHint: false } }),
];`;

export async function serveTools(
  options: Partial<VertesiaOptions> = {},
  engineOptions: Partial<EngineOptions> = {},
): Promise<Served> {
  const issuer = await makeIssuer();
  const directory = makePlugin({
    id: 'sample',
    source,
    permissions: { network: ['api.example.com'] },
  });
  const engine = await startEngine([directory], {
    config: { sample: { requireApproval: { asks: true } } },
    ...engineOptions,
  });
  const handler = createVertesiaHandler(engine, {
    url: URL_SERVED,
    jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
    ...options,
  });
  handlers.push(handler);
  const bearer = async (spec?: TokenSpec): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await issuer.token(spec)}`,
  });
  const post = async (body: string, headers?: Record<string, string>): Promise<Answer> =>
    answerOf(
      await handler.fetch(
        new Request(URL_SERVED, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json', ...(headers ?? (await bearer())) },
        }),
      ),
    );
  return {
    engine,
    issuer,
    bearer,
    fetch: handler.fetch,
    get: async () => answerOf(await handler.fetch(new Request(URL_SERVED))),
    post,
    use: (name, input = {}, more = {}) =>
      post(
        JSON.stringify({ tool_use: { id: 'use-1', tool_name: name, tool_input: input }, ...more }),
      ),
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, headers: response.headers };
}
