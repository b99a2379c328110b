import { describe, expect, it } from 'vitest';
import { type App, type AppSpec, createApp } from '../../src/http/app.js';
import type { RequestRecord } from '../../src/http/route.js';

const DOOR = {
  credentials: {
    call: 'may-call-tools-00',
    view: 'may-view-all-000',
    answer: 'may-answer-00000',
    administer: 'may-administer-0',
  },
  openLoopback: false,
  hosts: new Set<string>(),
};

function makeApp(spec: Partial<AppSpec> = {}): App {
  return createApp({
    engine: {
      listing: () => [],
    },
    routes: [],
    door: DOOR,
    ...spec,
  });
}

const ask = (app: App, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  app.fetch(new Request(`http://127.0.0.1${path}`, { headers }));

describe('an app', () => {
  it('limits concurrent requests, and sends the others retry-after', async () => {
    let answer: (response: Response) => void = () => {};
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const app = makeApp({
      routes: [{ path: '/slow', access: 'open', fetch }],
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

  it('answers only requests in progress while it drains', async () => {
    let answer: (response: Response) => void = () => {};
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const app = makeApp({ routes: [{ path: '/slow', access: 'open', fetch }] });
    const first = ask(app, '/slow');
    const drained = app.drain();
    expect((await ask(app, '/slow')).status).toBe(503);
    expect((await ask(app, '/readyz')).status).toBe(503);
    expect((await ask(app, '/healthz')).status).toBe(200);
    answer(new Response('done'));
    await Promise.all([first, drained]);
  });

  it('counts an event stream until it ends', async () => {
    let end = (): void => {};
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => controller.close();
        controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
      },
    });
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = (): Promise<Response> => Promise.resolve(new Response(stream, { headers }));
    const app = makeApp({ routes: [{ path: '/events', access: 'open', fetch }] });
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

  it('does not count subscriptions', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response(new ReadableStream(), { headers }));
    const app = makeApp({
      routes: [{ path: '/news', access: 'open', fetch, isSubscription: () => true }],
      limits: { maxRequests: 1 },
    });
    for (let listener = 0; listener < 5; listener += 1) {
      expect((await ask(app, '/news')).status).toBe(200);
    }
    await app.drain();
  });

  it('does not describe internal errors', async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error('/etc/secret'));
    const app = makeApp({ routes: [{ path: '/x', access: 'open', fetch }] });
    const response = await ask(app, '/x');
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ status: 500, error: 'Internal error' });
  });

  it('requires a credential of the role, also on loopback', async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response('in'));
    const app = makeApp({ routes: [{ path: '/o', access: ['call'], fetch }] });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const { call, view, answer } = DOOR.credentials;
    expect((await ask(app, '/o')).status).toBe(401);
    expect((await ask(app, '/o', bearer('may-call-tools-0x'))).status).toBe(401);
    expect((await ask(app, '/o', bearer(''))).status).toBe(401);
    expect((await ask(app, '/o', bearer(call))).status).toBe(200);
    for (const other of [view, answer])
      expect((await ask(app, '/o', bearer(other))).status).toBe(403);
    expect((await ask(app, '/api/plugins')).status).toBe(401);
    expect((await ask(app, '/api/plugins', bearer(call))).status).toBe(403);
    expect((await ask(app, '/api/plugins', bearer(view))).status).toBe(200);
  });

  it('with openLoopback needs no credential to call and view, but one to answer', async () => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response('in'));
    const app = makeApp({
      door: { ...DOOR, openLoopback: true },
      routes: [
        { path: '/o', access: ['call'], fetch },
        { path: '/a', access: ['answer'], fetch },
      ],
    });
    expect((await ask(app, '/o')).status).toBe(200);
    expect((await ask(app, '/api/plugins')).status).toBe(200);
    expect((await ask(app, '/a')).status).toBe(401);
  });

  it('tells any caller that it is ready, and nothing else', async () => {
    expect(await (await ask(makeApp(), '/readyz')).json()).toEqual({ status: 'ready' });
  });

  it('records paths without their queries', async () => {
    const records: RequestRecord[] = [];
    await ask(makeApp({ onRequest: (record) => records.push(record) }), '/healthz?token=x');
    expect(records).toMatchObject([{ method: 'GET', path: '/healthz', status: 200 }]);
  });
});
