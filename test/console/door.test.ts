import { describe, expect, it } from 'vitest';
import { cookieIn, openWorld, ORIGIN } from './world.js';

describe('the way into the console', () => {
  it('opens with a link once; loading the link does not spend it', async () => {
    const world = openWorld();
    const link = new URL(world.console.newLink() ?? '');
    const code = link.searchParams.get('code') ?? '';
    const loaded = await world.get(link.pathname + link.search);
    expect(loaded.status).toBe(200);
    expect(loaded.headers.get('set-cookie')).toBeNull();
    const entered = await world.post('/console/enter', { code });
    expect(entered.status).toBe(303);
    expect(entered.headers.get('set-cookie')).toMatch(
      /; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    expect((await world.get('/console/', cookieIn(entered))).status).toBe(200);
    const again = await world.post('/console/enter', { code });
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('opens within five minutes', async () => {
    const world = openWorld();
    const code = new URL(world.console.newLink() ?? '').searchParams.get('code') ?? '';
    world.clock.ms += 5 * 60_000;
    expect((await world.post('/console/enter', { code })).status).toBe(401);
  });

  it('ends a session after twelve hours, and when it is left', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    world.clock.ms += 12 * 3_600_000;
    expect((await world.get('/console/', cookie)).headers.get('location')).toBe('/console/enter');
    world.clock.ms -= 1;
    expect((await world.get('/console/', cookie)).status).toBe(200);
    await world.post('/console/leave', { form }, { cookie });
    expect((await world.get('/console/', cookie)).status).toBe(303);
  });

  it('shows nothing, and changes nothing, without a session', async () => {
    const world = openWorld();
    const { approvalId, digest } = world.ask({ title: 'Top secret' });
    for (const path of [
      '',
      'plugins',
      'calls',
      'audit',
      'machine',
      'stop',
      'logs',
      'events',
      `approvals/${approvalId}`,
    ]) {
      const answer = await world.get(`/console/${path}`);
      expect([303, 401]).toContain(answer.status);
      expect(await answer.text()).not.toContain('Top secret');
    }
    const posted = await world.post(`/console/approvals/${approvalId}`, {
      verdict: 'once',
      digest,
      shown: '0',
    });
    expect(posted.status).toBe(401);
    expect(world.engine.approvals.get(approvalId)?.state).toBe('pending');
  });

  it('accepts no token that is not for people, and lets a token do what it is for', async () => {
    const world = openWorld();
    for (const token of ['calls-calls-calls', '', '__proto__']) {
      expect((await world.post('/console/enter', { token })).status).toBe(401);
    }
    const viewer = cookieIn(await world.post('/console/enter', { token: 'views-views-views' }));
    const question = world.ask();
    world.clock.ms += 5_000;
    const form = await world.formToken(viewer);
    const fields = { form, verdict: 'once', digest: question.digest, shown: '0' };
    const answered = await world.post(`/console/approvals/${question.approvalId}`, fields, {
      cookie: viewer,
    });
    expect(answered.status).toBe(403);
    expect(await answered.text()).toContain('--answer-token');
    const answerer = cookieIn(await world.post('/console/enter', { token: 'answers-answers-a' }));
    const switched = await world.post(
      '/console/plugins/switch',
      { form: await world.formToken(answerer), plugin: 'notes', to: 'off' },
      { cookie: answerer },
    );
    expect(switched.status).toBe(403);
    expect(world.switched).toEqual([]);
  });

  it('refuses forms of other origins, of other sessions, and of pages that hide where they are from', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    const other = await world.formToken(
      cookieIn(await world.post('/console/enter', { token: 'views-views-views' })),
    );
    const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      world.post(
        '/console/plugins/switch',
        { plugin: 'notes', to: 'off', ...fields },
        { cookie, headers },
      );
    expect((await send({ form }, { origin: 'http://127.0.0.1:4174' })).status).toBe(403);
    expect((await send({ form }, { origin: 'null' })).status).toBe(403);
    expect((await send({ form }, { origin: `${ORIGIN}.evil.test` })).status).toBe(403);
    expect((await send({ form }, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await send({})).status).toBe(403);
    expect((await send({ form: other })).status).toBe(403);
    expect((await send({ form }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send({ form, more: 'x'.repeat(70_000) })).status).toBe(413);
    expect(world.switched).toEqual([]);
    expect((await send({ form })).status).toBe(303);
    expect(world.switched).toEqual(['notes false']);
  });

  it('leads from the link of a notice to that question, after the token, and to no other page', async () => {
    const world = openWorld();
    const { approvalId } = world.ask();
    const path = `/console/approvals/${approvalId}`;
    const location = (await world.get(path)).headers.get('location') ?? '';
    expect(location).toBe(`/console/enter?to=${encodeURIComponent(path)}`);
    const page = await (await world.get(location)).text();
    expect(page).toContain(`name="to" value="${path}"`);
    const token = 'answers-answers-a';
    const entered = await world.post('/console/enter', { token, to: path });
    expect(entered.headers.get('location')).toBe(path);
    const question = await (await world.get(path, cookieIn(entered))).text();
    expect(question).toContain(`data-approval="${approvalId}"`);
    for (const to of ['https://evil.test/', '//evil.test', '/console/approvals/../../x']) {
      const other = await world.post('/console/enter', { token, to });
      expect(other.headers.get('location')).toBe('/console/');
      const shown = await (await world.get(`/console/enter?to=${encodeURIComponent(to)}`)).text();
      expect(shown).not.toContain('name="to"');
    }
  });

  it('sends a strict policy with every answer, and stores none', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    for (const path of [
      '/console/',
      '/console/enter',
      '/console/console.js',
      '/console/nowhere',
      '/console/plugins',
    ]) {
      const { headers } = await world.get(path, cookie);
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
      ]) {
        expect(policy).toContain(part);
      }
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  it('streams to a limited number of pages', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    const streams = await Promise.all(
      Array.from({ length: 32 }, () => world.get('/console/events', cookie)),
    );
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    expect((await world.get('/console/events', cookie)).status).toBe(429);
    await streams[0]?.body?.cancel();
    expect((await world.get('/console/events', cookie)).status).toBe(200);
  });
});
