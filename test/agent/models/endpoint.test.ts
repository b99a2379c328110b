import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/agent/model.js';
import { anthropicModel } from '../../../src/agent/models/anthropic.js';
import type { Endpoint } from '../../../src/agent/models/endpoint.js';
import { openAiModel } from '../../../src/agent/models/openai.js';
import { ask } from './asking.js';
import { serveModel } from './server.js';

describe.each<[string, (endpoint: Endpoint) => Model]>([
  ['OpenAI’s', openAiModel],
  ['Anthropic’s', anthropicModel],
])('an endpoint of %s kind', (_, make) => {
  it('that refuses is told in its own words, without the key', async () => {
    const { url } = await serveModel([
      {
        status: 401,
        type: 'application/json',
        pieces: [JSON.stringify({ error: { message: 'no such key' } })],
      },
    ]);
    const error = await ask(make({ url, model: 'm', apiKey: 'sk-secret' })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { status: 401 } });
    expect(String(error)).toMatch(/answered 401: no such key/);
    expect(String(error)).not.toContain('sk-secret');
  });

  it('that is not there is named', async () => {
    await expect(ask(make({ url: 'http://127.0.0.1:9', model: 'm' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/127\.0\.0\.1:9.*could not be reached/),
    });
  });

  it.each([
    ['a password', 'http://me:hunter2@127.0.0.1:9/v1', /name or password/],
    ['a name', 'http://hunter2@127.0.0.1:9/v1', /name or password/],
    ['a password and no address', 'http://me:hunter2@127.0.0.1:99999/', /absolute URL/],
  ])('whose address holds %s is refused without repeating it', (_what, url, why) => {
    let thrown: unknown;
    try {
      make({ url, model: 'm' });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'INVALID_OPTIONS',
      details: { option: 'url' },
      message: expect.stringMatching(why),
    });
    expect(String(thrown)).not.toContain('hunter2');
  });

  it('that sends the key elsewhere is not followed', async () => {
    const elsewhere = await serveModel([{ pieces: [] }]);
    const location = `${elsewhere.url}/v1`;
    const { url, asked } = await serveModel([{ status: 307, location, pieces: [] }]);
    await expect(ask(make({ url, model: 'm', apiKey: 'k' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
    });
    expect([asked.length, elsewhere.asked]).toEqual([1, []]);
  });

  it('that refuses at endless length is told by how it begins', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('no '.repeat(100))),
      cancel: () => {
        cancelled = true;
      },
    });
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { status: 500 }));
    const error = await ask(make({ url: 'http://127.0.0.1:1', model: 'm', fetch })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/answered 500: (no ){600,667}/),
    });
    expect(String(error).length).toBeLessThan(2_200);
    expect(cancelled).toBe(true);
  });

  it('that sends no JSON is no model', async () => {
    const { url } = await serveModel([{ pieces: ['data: <html>\n\n'] }]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('that never stops sending is stopped', async () => {
    const { url } = await serveModel([
      { pieces: Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)) },
    ]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toThrow(/sent more than/);
  });
});
