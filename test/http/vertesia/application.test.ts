import { describe, expect, it } from 'vitest';
import { createVertesiaHandler } from '../../../src/http/vertesia.js';
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
  it('lists its activities in its package, for a valid token', async () => {
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

  it('runs activities, and returns their results as data', async () => {
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

  it('finds no other activities', async () => {
    const { run, ask } = await makeApp(['*__object']);
    expect((await run({ activity_name: 'sample__weather' })).status).toBe(404);
    expect((await run({ activity_name: 'sample__object' }, '/activities/other')).status).toBe(404);
    expect((await run({ activity_name: '' })).status).toBe(400);
    expect((await run({ activity_name: 'sample__object', params: [] })).status).toBe(400);
    expect((await ask('/activities/other')).status).toBe(404);
  });

  it('answers 404 for hooks, so that an installer skips them', async () => {
    const { ask } = await makeApp();
    for (const hook of ['install', 'uninstall', 'constructor']) {
      expect(await ask(`/hooks/${hook}`, { method: 'POST', body: '{}' }, false)).toMatchObject({
        status: 404,
        body: { error: `App hook is not registered: ${hook}` },
      });
    }
  });

  it('lists no skills, and requires a token for that list', async () => {
    const { ask } = await makeApp();
    expect((await ask('/skills')).body['tools']).toEqual([]);
    expect((await ask('/skills', {}, false)).status).toBe(401);
    expect((await ask('/skills/x', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
