import { describe, expect, it } from 'vitest';
import { createVertesiaHandler } from '../../../src/http/vertesia/handler.js';
import { serveTools } from './served.js';

async function makeApp(tools?: readonly string[]) {
  const { engine, issuer, bearer } = await serveTools();
  const handler = createVertesiaHandler(engine, {
    url: 'https://tools.example/api/tools',
    jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
    ...(tools === undefined ? {} : { tools }),
  });
  const ask = async (
    path: string,
    init: RequestInit = {},
    token = true,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const headers = token ? await bearer() : {};
    const request = new Request(`https://tools.example/api${path}`, { ...init, headers });
    const response = await handler.application(request, '/api');
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const run = (body: object, path = '/activities'): ReturnType<typeof ask> =>
    ask(path, { method: 'POST', body: JSON.stringify(body) });
  return { ask, run };
}

describe('an application', () => {
  it('lists its activities in its package, to whoever brings a token', async () => {
    const { ask } = await makeApp(['*__weather']);
    const { status, body } = await ask('/package?scope=activities');
    expect(status).toBe(200);
    expect(body).toEqual({
      activities: [
        {
          name: 'sample__weather',
          title: 'weather',
          description: 'Does weather',
          collection: 'sample',
          url: 'activities/sample',
          input_schema: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          },
        },
      ],
    });
    expect(Object.keys((await ask('/package')).body)).toEqual(['tools', 'activities', 'hooks']);
    expect((await ask('/package', {}, false)).status).toBe(401);
    expect((await ask('/activities')).body['activities']).toHaveLength(1);
  });

  it('runs them, and gives what they return as data', async () => {
    const { run } = await makeApp();
    expect(
      await run({ activity_name: 'sample__object', params: {} }, '/activities/sample'),
    ).toEqual({
      status: 200,
      body: { result: { degrees: 20, list: [1] }, is_error: false },
    });
    expect(await run({ activity_name: 'sample__throws' })).toMatchObject({
      status: 500,
      body: { result: null, is_error: true, error: 'the pump is broken' },
    });
    expect(await run({ activity_name: 'sample__looks' })).toMatchObject({
      status: 200,
      body: { result: null, is_error: true },
    });
  });

  it('has no others, wherever they are looked for', async () => {
    const { run, ask } = await makeApp(['*__object']);
    expect((await run({ activity_name: 'sample__weather' })).status).toBe(404);
    expect((await run({ activity_name: 'sample__object' }, '/activities/other')).status).toBe(404);
    expect((await run({ activity_name: '' })).status).toBe(400);
    expect((await run({ activity_name: 'sample__object', params: [] })).status).toBe(400);
    expect((await ask('/activities/other')).status).toBe(404);
  });

  it('has no hooks, which tells an installer that there is nothing to do', async () => {
    const { ask } = await makeApp();
    for (const hook of ['install', 'uninstall', 'constructor']) {
      expect(await ask(`/hooks/${hook}`, { method: 'POST', body: '{}' }, false)).toMatchObject({
        status: 404,
        body: { error: `App hook is not registered: ${hook}` },
      });
    }
  });

  it('has no skills, and tells that to nobody without a token', async () => {
    const { ask } = await makeApp();
    expect((await ask('/skills')).body['tools']).toEqual([]);
    expect((await ask('/skills', {}, false)).status).toBe(401);
    expect((await ask('/skills/x', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
