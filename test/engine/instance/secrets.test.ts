import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BulkheadEvent,
  createEngine,
  type Engine,
  type EngineOptions,
  type Plugin,
} from '../../../src/index.js';
import { makeDirectory, makePlugin, runTool, startEngine } from '../plugin-on-disk.js';

const VALUE = 'live-Key/0123+45';
const PLACEHOLDER = /^bulkhead-secret-[0-9a-f]{32}$/;
const BINDING = { hosts: ['api.test'], in: ['header:x-api-key'] } as const;

const spec = {
  permissions: { network: ['api.test', 'other.test'], env: ['API_KEY', 'CITY'] },
} as const;
const tools = {
  see: "() => env.get('API_KEY') ?? null",
  all: "() => [env.get('API_KEY'), env.get('CITY')]",
  ask: `async ({ url }) => {
    const key = env.get('API_KEY');
    const reply = await fetch(url + '?k=' + key, { headers: { 'x-api-key': key } });
    return reply.json();
  }`,
  say: "() => { console.log('the key is ' + env.get('API_KEY')); throw new Error(env.get('API_KEY')) }",
};

let server: Server;
const received: IncomingMessage[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(request);
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

function options(more: Partial<EngineOptions> = {}): Partial<EngineOptions> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { API_KEY: VALUE, CITY: 'Berlin' },
    secrets: { sample: { API_KEY: BINDING } },
    network: { overrides: ['api.test', 'other.test'].map((host) => ({ host, url })) },
    ...more,
  };
}

describe('a variable that is a secret', () => {
  let engine: Engine;
  const events: BulkheadEvent[] = [];
  const logged: string[] = [];
  const log = (fields: object, text: string): void => {
    logged.push(JSON.stringify([fields, text]));
  };
  const call = async (tool: string, input: unknown = {}): Promise<unknown> =>
    (await engine.call(tool, input)).value;

  beforeAll(async () => {
    const logger = { debug: log, info: log, warn: log, error: log };
    engine = await startEngine([makePlugin({ ...spec, tools })], { ...options(), logger });
    engine.on((event) => events.push(event));
  });

  it('is a placeholder to the plugin, and its other variables are what they are', async () => {
    expect(await call('all')).toEqual([expect.stringMatching(PLACEHOLDER), 'Berlin']);
  });

  it('reaches the host that it is bound to, in the place that it is bound to', async () => {
    const answer = await call('ask', { url: 'https://api.test/' });
    const [sent] = received.splice(0);
    expect(sent?.headers['x-api-key']).toBe(VALUE);
    expect(sent?.url).toMatch(/^\/\?k=bulkhead-secret-/);
    expect(JSON.stringify(answer)).not.toContain(VALUE);
    expect(answer).toMatchObject({ headers: { 'x-api-key': expect.stringMatching(PLACEHOLDER) } });
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'secret-inserted',
          plugin: 'sample',
          secret: 'API_KEY',
          place: 'header',
          host: 'api.test',
        }),
        expect.objectContaining({ type: 'secret-withheld', place: 'query', host: 'api.test' }),
        expect.objectContaining({ type: 'secret-scrubbed', place: 'body', host: 'api.test' }),
      ]),
    );
  });

  it('is reported together with the call that used it', async () => {
    const before = events.length;
    const { callId } = await engine.call('ask', { url: 'https://api.test/' });
    received.splice(0);
    const uses = events.slice(before).filter(({ type }) => type.startsWith('secret-'));
    expect(uses.map(({ type }) => type).toSorted()).toEqual([
      'secret-inserted',
      'secret-scrubbed',
      'secret-withheld',
    ]);
    expect(uses).toMatchObject(uses.map(() => ({ call: callId })));
  });

  it('does not reach another granted host, and the engine reports the attempt', async () => {
    await call('ask', { url: 'https://other.test/' });
    const [sent] = received.splice(0);
    expect(sent?.headers['x-api-key']).toMatch(PLACEHOLDER);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'secret-withheld', place: 'header', host: 'other.test' }),
    );
  });

  it('is in nothing that the engine says, logs or answers', async () => {
    const { content } = await engine.call('say', {});
    expect(content[0]?.text).toMatch(/bulkhead-secret-/);
    const said = JSON.stringify([events, logged, content, engine.plugins()]);
    expect(said).toContain('bulkhead-secret-');
    expect(said).not.toContain(VALUE);
  });

  it('is listed separately from those that the plugin was handed, in its status', () => {
    expect(engine.plugins()[0]?.entries).toMatchObject([
      {
        effective: { env: ['API_KEY', 'CITY'] },
        secrets: [{ name: 'API_KEY', hosts: ['api.test'], in: ['header:x-api-key'] }],
      },
    ]);
  });

  it('has another placeholder in every engine', async () => {
    const second = await runTool(tools.see, spec, options());
    expect(second.value).toMatch(PLACEHOLDER);
    expect(second.value).not.toBe(await call('see'));
  });
});

describe('secrets', () => {
  const problemsOf = async (
    plugin: Parameters<typeof makePlugin>[0],
    more: Partial<EngineOptions>,
  ): Promise<readonly unknown[]> => {
    const engine = await startEngine([makePlugin({ tools, ...plugin })], options(more));
    return engine.plugins()[0]?.problems ?? [];
  };

  it('can be said for each plugin by a function', async () => {
    const asked: string[] = [];
    const secrets = ({ id }: Plugin) => {
      asked.push(id);
      return { API_KEY: BINDING };
    };
    const { value } = await runTool(tools.see, spec, options({ secrets }));
    expect(value).toMatch(PLACEHOLDER);
    expect(asked).toEqual(['sample']);
  });

  it('of another plugin leave this one as it was', async () => {
    const secrets = { other: { API_KEY: BINDING } };
    const other = makePlugin({ ...spec, id: 'other', tools });
    const engine = await startEngine(
      [makePlugin({ ...spec, tools }), other],
      options({ secrets, grant: 'declared' }),
    );
    expect((await engine.call('sample__see', {})).value).toBe(VALUE);
    expect((await engine.call('other__see', {})).value).not.toBe(VALUE);
  });

  it('that are not granted are not there at all', async () => {
    const engine = await startEngine(
      [makePlugin({ ...spec, tools })],
      options({ grant: { sample: { env: ['CITY'] } } }),
    );
    expect(engine.plugins()[0]?.entries).toMatchObject([{ secrets: [] }]);
    expect((await engine.call('see', {})).value).toBeNull();
  });

  it('that have no value are absent, as any variable', async () => {
    const { value } = await runTool(tools.see, spec, options({ env: { CITY: 'x' } }));
    expect(value).toBeNull();
  });

  it('that the plugin does not declare prevent it from running: the name is most likely misspelt', async () => {
    expect(await problemsOf(spec, { secrets: { sample: { API_KEI: BINDING } } })).toMatchObject([
      { code: 'INVALID_OPTIONS', message: expect.stringContaining('Did you mean API_KEY?') },
    ]);
  });

  it('of an unconfined plugin prevent it from running: they could not be hidden from it', async () => {
    const host = { ...spec, entry: { sandbox: 'host' } };
    expect(await problemsOf(host, { hostMode: ['sample'] })).toMatchObject([
      { code: 'INVALID_OPTIONS', message: expect.stringContaining('runs unconfined') },
    ]);
  });

  it('are described to the model no more than to the plugin, from one run to the next', async () => {
    const source = `export const tools = [
      { id: 'run', name: 'n', description: 'with ' + env.get('API_KEY'), execute: () => 1 },
    ]`;
    const directory = makePlugin({ ...spec, source });
    const cacheDirectory = makeDirectory();
    for (const _run of [1, 2]) {
      const engine = await startEngine([directory], options({ cacheDirectory }));
      expect(engine.catalog.list()[0]?.description).toMatch(/^with bulkhead-secret-/);
    }
  });

  it.each([
    [{ hosts: ['*'], in: ['query'] }, 'secrets["sample"].API_KEY.hosts'],
    [{ hosts: ['api.test'], in: ['path'] }, 'secrets["sample"].API_KEY.in'],
    [{ hosts: ['api.test'] }, 'secrets["sample"].API_KEY'],
  ])('bound as %j are refused when the engine is made', async (binding, option) => {
    const secrets = { sample: { API_KEY: binding } } as never;
    await expect(createEngine({ plugins: [], env: {}, secrets })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { option },
    });
  });

  it('that are too short to be found again are refused when the engine is made', async () => {
    const refused = createEngine({ plugins: [], ...options({ env: { API_KEY: 'short' } }) });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.not.stringContaining('short '),
    });
  });
});
