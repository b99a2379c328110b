import { describe, expect, it } from 'vitest';
import { cookieIn, openWorld } from './world.js';

describe('the switches of the console', () => {
  it('stop everything, a plugin or a tenant, in the name of the session, and resume it', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    const page = async (): Promise<string> => (await world.get('/console/stop', cookie)).text();
    const send = (path: string, fields: Record<string, string>): Promise<Response> =>
      world.post(`/console/${path}`, { form, ...fields }, { cookie });
    expect(await page()).toContain('Nothing is stopped.');
    for (const fields of [
      { kind: 'everything', reason: 'an <b>incident</b>' },
      { kind: 'plugin', id: 'notes' },
      { kind: 'tenant', id: 'acme' },
    ]) {
      expect((await send('stop', fields)).headers.get('location')).toBe('/console/stop');
    }
    expect(world.engine.stops.list()).toMatchObject([
      { target: { everything: true }, by: 'ada, in the console', reason: 'an <b>incident</b>' },
      { target: { plugin: 'notes' } },
      { target: { tenant: 'acme' } },
    ]);
    const stopped = await page();
    expect(stopped).toContain('an &lt;b&gt;incident&lt;/b&gt;');
    expect(stopped).not.toContain('>Stop everything</button>');
    // Every other page says so too.
    expect(await (await world.get('/console/calls', cookie)).text()).toContain(
      'everything, the plugin notes, the tenant acme',
    );
    expect((await send('resume', { kind: 'everything' })).status).toBe(303);
    expect((await send('resume', { kind: 'everything' })).status).toBe(409);
    expect((await send('stop', { kind: 'plugin' })).status).toBe(400);
    expect(world.engine.stops.list()).toHaveLength(2);
  });

  it('are only for sessions that may administer', async () => {
    const world = openWorld();
    const cookie = cookieIn(await world.post('/console/enter', { token: 'answers-answers-a' }));
    const form = await world.formToken(cookie);
    const page = await (await world.get('/console/stop', cookie)).text();
    expect(page).not.toContain('action="/console/stop"');
    for (const path of ['stop', 'resume']) {
      const { status } = await world.post(
        `/console/${path}`,
        { form, kind: 'everything' },
        { cookie },
      );
      expect(status).toBe(403);
    }
    expect(world.engine.stops.list()).toEqual([]);
  });
});
