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
])('an endpoint of %s protocol', (_, make) => {
  it('that refuses is reported with its own message, without the key', async () => {
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

  it.each([
    [
      'echoes its headers',
      500,
      JSON.stringify({ error: { message: 'got Bearer sk-secret-1234' } }),
    ],
    ['echoes the key in base64', 500, `key ${btoa('sk-secret-1234')}`],
    ['echoes the key where its answer is cut', 500, `${'x'.repeat(1_995)}sk-secret-1234`],
    ['echoes an additional header', 400, 'gateway-token-5678 is unknown'],
    ['sends no JSON', 200, 'sk-secret-1234'],
  ])('that %s never puts a key into the error', async (_what, status, body) => {
    const { url } = await serveModel([{ status, type: 'application/json', pieces: [body] }]);
    const headers = { 'x-gateway': 'gateway-token-5678' };
    const model = make({ url, model: 'm', apiKey: 'sk-secret-1234', headers });
    const error = await ask(model).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MODEL_FAILED' });
    const text = `${String(error)} ${JSON.stringify(error)}`;
    expect(text).not.toMatch(/sk-s|gateway-t|c2stc2Vjc/);
  });

  it.each(['', '{}'])('that answers with the body %j has no reply', async (body) => {
    const { url } = await serveModel([{ type: 'application/json', pieces: [body] }]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toThrow('reply was cut');
  });

  it('that cannot be reached is named in the error', async () => {
    await expect(ask(make({ url: 'http://127.0.0.1:9', model: 'm' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/127\.0\.0\.1:9.*could not be reached/),
    });
  });

  it.each([
    ['a password', 'http://me:hunter2@127.0.0.1:9/v1', /name or password/],
    ['a name', 'http://hunter2@127.0.0.1:9/v1', /name or password/],
    ['a password and no address', 'http://me:hunter2@127.0.0.1:99999/', /absolute URL/],
  ])('whose URL contains %s is refused without repeating it', (_what, url, why) => {
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

  it.each(['sk-proj-AbCdEf0123456789xyz', 'gateway-token-0123456789'])(
    'that repeats a part of %s does not put the part into the error',
    async (key) => {
      const apiKey = 'sk-proj-AbCdEf0123456789xyz';
      const headers = { 'x-gateway': 'gateway-token-0123456789' };
      const pieces = [`no key ${key.slice(0, -4)}… or ${key.slice(5)}, here`];
      const { url } = await serveModel([{ status: 500, type: 'text/plain', pieces }]);
      const asked = ask(make({ url, model: 'm', apiKey, headers }));
      await expect(asked).rejects.toThrow(/: no key \[key\]… or \[key\], here$/);
    },
  );

  it('that sends an error of megabytes costs as little as one of a line', async () => {
    const pieces = [JSON.stringify({ error: { message: 'no '.repeat(8_000_000) } })];
    const { url } = await serveModel([{ type: 'application/json', pieces }]);
    const model = make({ url, model: 'm', apiKey: 'sk-proj-AbCdEf0123456789xyz' });
    const before = process.cpuUsage();
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(2);
  });

  it('that redirects does not receive the key elsewhere', async () => {
    const elsewhere = await serveModel([{ pieces: [] }]);
    const location = `${elsewhere.url}/v1`;
    const { url, asked } = await serveModel([{ status: 307, location, pieces: [] }]);
    await expect(ask(make({ url, model: 'm', apiKey: 'k' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
    });
    expect([asked.length, elsewhere.asked]).toEqual([1, []]);
  });

  it('that refuses with an endless body is reported with the start of the body', async () => {
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

  it('that does not send JSON fails', async () => {
    const { url } = await serveModel([{ pieces: ['data: <html>\n\n'] }]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('that never stops sending is cut off', async () => {
    const { url } = await serveModel([
      { pieces: Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)) },
    ]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toThrow(/sent more than/);
  });
});
