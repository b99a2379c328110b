import { describe, expect, it } from 'vitest';
import { type App, type AppSpec, createApp, type RequestRecord } from '../../src/http/app.js';

function makeApp(spec: Partial<AppSpec> = {}): App {
  return createApp({
    engine: {
      catalog: { list: () => [], find: () => undefined, collisions: () => [], on: () => () => {} },
      listing: () => [],
    },
    mounted: [],
    token: 'secret',
    tokenRequired: false,
    hosts: new Set(),
    ...spec,
  });
}

const ask = (app: App, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));

describe('an app', () => {
  it('takes so many requests at once, and tells the others when to come again', async () => {
    let answer: (response: Response) => void = () => {};
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const app = makeApp({
      mounted: [{ path: '/slow', access: 'open', fetch }],
      limits: { maxRequests: 1 },
    });
    const first = ask(app, '/slow');
    const second = await ask(app, '/slow');
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('1');
    expect((await ask(app, '/healthz')).status).toBe(200);
    answer(new Response('done'));
    expect(await (await first).text()).toBe('done');
    const third = ask(app, '/slow');
    answer(new Response('again'));
    expect(await (await third).text()).toBe('again');
  });

  it('answers what is under way when it drains, and nothing else', async () => {
    let answer: (response: Response) => void = () => {};
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const app = makeApp({ mounted: [{ path: '/slow', access: 'open', fetch }] });
    const first = ask(app, '/slow');
    const drained = app.drain();
    expect((await ask(app, '/slow')).status).toBe(503);
    expect((await ask(app, '/readyz')).status).toBe(503);
    expect((await ask(app, '/healthz')).status).toBe(200);
    answer(new Response('done'));
    await Promise.all([first, drained]);
  });

  it('counts a stream of events as under way until it ends', async () => {
    let end = (): void => {};
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => controller.close();
        controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = (): Promise<Response> => Promise.resolve(new Response(stream, { headers }));
    const app = makeApp({ mounted: [{ path: '/events', access: 'open', fetch }] });
    const response = await ask(app, '/events');
    let drained = false;
    const drain = app.drain().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(drained).toBe(false);
    end();
    expect(await response.text()).toBe('data: 1\n\n');
    await drain;
  });

  it('has room for calls, whoever else listens for news', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response(new ReadableStream(), { headers }));
    const app = makeApp({
      mounted: [{ path: '/news', access: 'open', fetch, lasts: () => true }],
      limits: { maxRequests: 1 },
    });
    for (let listener = 0; listener < 5; listener += 1) {
      expect((await ask(app, '/news')).status).toBe(200);
    }
    await app.drain();
  });

  it('tells nothing of what goes wrong inside', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('/etc/secret'));
    const app = makeApp({ mounted: [{ path: '/x', access: 'open', fetch }] });
    const response = await ask(app, '/x');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ status: 500, error: 'Internal error' });
  });

  it("asks for the operator's token where it was chosen, and always for the plugins", async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response('in'));
    const mounted = [{ path: '/o', access: 'operator', fetch }] as const;
    const bearer = { authorization: 'Bearer secret' };
    expect((await ask(makeApp({ mounted }), '/o')).status).toBe(200);
    const closed = makeApp({ mounted, tokenRequired: true });
    expect((await ask(closed, '/o')).status).toBe(401);
    expect((await ask(closed, '/o', { authorization: 'Bearer sEcret' })).status).toBe(401);
    expect((await ask(closed, '/o', bearer)).status).toBe(200);
    expect((await ask(makeApp(), '/api/plugins')).status).toBe(401);
    expect((await ask(makeApp(), '/api/plugins', bearer)).status).toBe(200);
  });

  it('records paths without their queries', async () => {
    const records: RequestRecord[] = [];
    await ask(makeApp({ onRequest: (record) => records.push(record) }), '/healthz?token=x');
    expect(records).toMatchObject([{ method: 'GET', path: '/healthz', status: 200 }]);
  });
});
