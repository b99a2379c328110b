import { describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/http/app.js';
import { serveTools } from './vertesia/served.js';

const NAME = 'tools.example';

/** A server of tools with one slot, and how to call it. */
async function setUp() {
  const { engine, fetch, bearer } = await serveTools();
  const app: App = createApp({
    engine,
    routes: [{ path: '/tools', access: 'verified', fetch }],
    door: {
      credentials: { call: 'c', view: 'v', answer: 'a', administer: 'd' },
      openLoopback: false,
      hosts: new Set([NAME]),
    },
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

describe('a caller without a valid token', () => {
  it('uses no slot, however slowly it sends its body', async () => {
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

  it('does not limit verified callers, who use one slot each', async () => {
    const { app, ask, bearer } = await setUp();
    let end = (): void => {};
    let isRead = false;
    const trickle = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          isRead = true;
          end = () => {
            controller.enqueue(new TextEncoder().encode(RUN));
            controller.close();
          };
        },
      },
      { highWaterMark: 0 },
    );
    const first = ask(await bearer(), trickle);
    const headers = await bearer();
    // A body is read once its caller is verified and has a slot.
    await expect.poll(() => isRead).toBe(true);
    const second = await ask(headers, RUN);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('1');
    end();
    expect((await first).status).toBe(200);
    await app.drain();
    expect((await ask(headers, RUN)).status).toBe(503);
  });

  it('that uses another host name cannot list the tools', async () => {
    const { ask } = await setUp();
    expect((await ask({})).status).toBe(200);
    expect((await ask({ host: 'evil.example' })).status).toBe(421);
  });
});
