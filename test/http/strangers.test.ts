import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/http/app.js';
import { serveTools } from './vertesia/served.js';

const NAME = 'tools.example';

/** A server of tools with one place, and how to ask it. */
async function setUp() {
  const { engine, fetch, bearer } = await serveTools();
  const app: App = createApp({
    engine,
    mounted: [{ path: '/tools', access: 'verified', fetch }],
    token: 'secret',
    tokenRequired: false,
    hosts: new Set([NAME]),
    limits: { maxRequests: 1 },
  });
  const ask = (headers: Record<string, string>, body?: RequestInit['body']): Promise<Response> => {
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: body === undefined ? 'GET' : 'POST',
      duplex: 'half',
      headers: { host: NAME, ...headers },
      ...(body === undefined ? {} : { body }),
    };
    return app.fetch(new Request(`http://${NAME}/tools`, init));
  };
  return { app, ask, bearer };
}

const RUN = '{"tool_use":{"id":"1","tool_name":"sample__echo"}}';

describe('a stranger', () => {
  it('takes no place of those who bring a token, however slowly they send', async () => {
    const { ask, bearer } = await setUp();
    let end = (): void => {};
    const trickle = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{'));
        end = () => controller.close();
      },
    });
    const stranger = ask({}, trickle);
    expect((await ask(await bearer(), RUN)).status).toBe(200);
    end();
    expect((await stranger).status).toBe(401);
  });

  it('with a token takes one of the places that there are', async () => {
    const { app, ask, bearer } = await setUp();
    let end = (): void => {};
    const trickle = new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => {
          controller.enqueue(new TextEncoder().encode(RUN));
          controller.close();
        };
      },
    });
    const first = ask(await bearer(), trickle);
    const headers = await bearer();
    let second = await ask(headers, RUN);
    // The first may still be having its token looked at.
    while (second.status === 200) second = await ask(headers, RUN);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('1');
    end();
    expect((await first).status).toBe(200);
    await app.drain();
    expect((await ask(headers, RUN)).status).toBe(503);
  });

  it('that was led here by another name is not even told what tools there are', async () => {
    const { ask } = await setUp();
    expect((await ask({})).status).toBe(200);
    expect((await ask({ host: 'evil.example' })).status).toBe(421);
  });
});
