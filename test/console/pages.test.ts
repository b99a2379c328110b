import { describe, expect, it } from 'vitest';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { openWorld } from './world.js';

const HASH = 'a'.repeat(64);

describe('the page of a call', () => {
  it('has rules about its tool to paste, as one word each, and no allow for an unknown input', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    world.emit({
      type: 'call-started',
      call: 'call_1',
      plugin: 'notes',
      tool: "write'; rm -rf ~",
      bundle: 'sha512-abc',
      risk: 'medium',
      input: '{"city":"Oslo"}',
    });
    const page = await (await world.get('/console/calls/call_1', cookie)).text();
    expect(page).toContain('bulkhead rules add deny');
    expect(page).toContain(String.raw`&#39;notes:write&#39;\&#39;&#39;; rm -rf ~&#39;`);
    expect(page).not.toContain('rules add allow');
    expect(page).toContain('The input is not known here');
  });
});

describe('the calls of a tenant', () => {
  it('are listed by tenant, and forgotten by who may administer', async () => {
    const world = openWorld();
    for (const [call, tenant] of [
      ['call_1', 'acme <b>'],
      ['call_2', 'other'],
    ] as const) {
      world.emit({
        type: 'call-started',
        call,
        plugin: 'notes',
        tool: 'write',
        bundle: 'sha512-abc',
        risk: 'low',
        input: '{}',
        tenant,
      });
    }
    const answer = await world.post('/console/enter', { token: 'answers-answers-a' });
    const answerer = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const path = '/console/calls?tenant=acme%20%3Cb%3E';
    expect(await (await world.get(path, answerer)).text()).not.toContain('Forget all calls');
    const tried = { form: await world.formToken(answerer), tenant: 'acme <b>' };
    const refused = await world.post('/console/calls/forget', tried, { cookie: answerer });
    expect(refused.status).toBe(403);
    const cookie = await world.enter();
    const page = await (await world.get(path, cookie)).text();
    expect(page).toMatch(/1\s+call is in\s+memory/);
    expect(page).not.toContain('<b>');
    expect(page).not.toContain('call_2');
    const form = await world.formToken(cookie);
    const none = await world.post('/console/calls/forget', { form }, { cookie });
    expect(none.status).toBe(400);
    await world.post('/console/calls/forget', { form, tenant: 'acme <b>' }, { cookie });
    const after = await (await world.get('/console/calls', cookie)).text();
    expect(after).toContain('call_2');
    expect(after).not.toContain('call_1');
  });
});

describe('the page that says why', () => {
  it('has the grant and the decisions about a call from the audit log, as text', async () => {
    const about = { seq: 1, atMs: 1, prev: HASH, hash: HASH, v: 2 as const };
    const records = [
      {
        ...about,
        type: 'permissions-granted',
        plugin: 'notes',
        entry: 'tools',
        bundle: 'sha512-a',
        confinement: 'compartment',
        declared: NO_PERMISSIONS,
        granted: { ...NO_PERMISSIONS, network: ['api.notes.example'] },
      },
      {
        ...about,
        type: 'call-started',
        call: 'call_1',
        plugin: 'notes',
        tool: 'write',
        bundle: 'sha512-a',
        risk: 'low',
      },
      {
        ...about,
        type: 'capability-denied',
        call: 'call_1',
        plugin: 'notes',
        permission: 'fs',
        wanted: '<b>/etc/passwd</b>',
      },
    ];
    const world = openWorld({
      audit: {
        head: { seq: 3, hash: HASH },
        query: async function* () {
          for (const record of records) yield record as never;
        },
      },
    });
    const cookie = await world.enter();
    const page = await (await world.get('/console/calls/call_1/why', cookie)).text();
    expect(page).toContain('api.notes.example');
    expect(page).toContain('DENIED fs: &lt;b&gt;/etc/passwd');
    expect(page).toContain('has no end in the log');
    const none = await world.get('/console/calls/call_2/why', cookie);
    expect(none.status).toBe(404);
    const withoutLog = openWorld();
    const other = await withoutLog.enter();
    expect(await (await withoutLog.get('/console/calls/call_1/why', other)).text()).toContain(
      'This engine has no audit log.',
    );
  });
});

describe('the page of the audit log', () => {
  it('shows the anchor of now, and compares the log with anchors that a person enters', async () => {
    const asked: unknown[] = [];
    const world = openWorld({
      audit: {
        head: { seq: 7, hash: HASH },
        query: async function* () {},
        verify: async (options) => {
          asked.push(options);
          return { ok: true, records: 7, head: { seq: 7, hash: HASH }, anchored: 1, notes: [] };
        },
      },
    });
    const cookie = await world.enter();
    const form = await world.formToken(cookie);
    const page = await (await world.get('/console/audit', cookie)).text();
    const anchor = `bulkhead-audit:7:${HASH}`;
    expect(page).toContain(anchor);
    const verified = await world.post(
      '/console/audit/verify',
      { form, anchors: anchor },
      { cookie },
    );
    expect(await verified.text()).toMatch(/7 records were\s+checked, 1 against\s+their\s+anchors/);
    expect(asked).toEqual([{ anchors: [{ seq: 7, hash: HASH }] }]);
    const wrong = await world.post(
      '/console/audit/verify',
      { form, anchors: 'nonsense' },
      { cookie },
    );
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('The text has no anchor');
  });
});
