import { describe, expect, it } from 'vitest';
import { NO_PERMISSIONS } from '../../src/permissions/permissions.js';
import { pluginsPage } from '../../src/console/pages/plugins.js';
import { watchActivity } from '../../src/console/plugin-activity.js';
import { switchedOffWhy } from '../../src/engine/plugins/switched-off.js';
import { statusOf } from '../report/builders.js';
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

  it('has nested calls and their requests on its time line, each once', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    const start = (call: string, parent?: string) => {
      world.emit({
        type: 'call-started',
        call,
        plugin: 'notes',
        tool: `tool_${call}`,
        bundle: 'sha512-abc',
        risk: 'low',
        input: '{}',
        ...(parent === undefined ? {} : { parent }),
      });
    };
    const request = (call: string, wanted: string) => {
      world.clock.ms += 10;
      world.emit({
        type: 'capability-used',
        call,
        plugin: 'notes',
        permission: 'network',
        wanted,
        durationMs: 5,
        outcome: 'allowed',
      } as never);
    };
    start('outer');
    request('outer', 'GET https://a.example/first');
    start('inner', 'outer');
    request('inner', 'GET https://a.example/<i>second</i>');
    start('innermost', 'inner');
    request('innermost', 'GET https://a.example/third');
    request('outer', 'GET https://a.example/fourth');
    const page = await (await world.get('/console/calls/outer', cookie)).text();
    const line = page.slice(page.indexOf('<ol class="steps">'), page.indexOf('</ol>'));
    const order = [...line.matchAll(/first|tool_inner(?:most)?|second|third|fourth/g)].map(String);
    expect(order).toEqual(['first', 'tool_inner', 'second', 'tool_innermost', 'third', 'fourth']);
    expect([...line.matchAll(/indent-(\d)/g)].map(([, depth]) => depth).join('')).toBe('001120');
    expect(line).not.toContain('<i>');
    // A call that names itself as its caller stands once.
    start('self', 'self');
    const self = await (await world.get('/console/calls/self', cookie)).text();
    expect(self).toContain('It sent no request through the host.');
  });

  it('has the grant of what was denied only if a grant would change something', async () => {
    const world = openWorld();
    const cookie = await world.enter();
    world.emit({
      type: 'call-started',
      call: 'call_1',
      plugin: 'notes',
      tool: 'write',
      bundle: 'sha512-abc',
      risk: 'low',
      input: '{}',
    });
    const deny = async (permission: string, wanted: string) => {
      world.emit({
        type: 'capability-denied',
        call: 'call_1',
        plugin: 'notes',
        permission,
        wanted,
        outcome: 'denied',
      } as never);
      const page = await (await world.get('/console/calls/call_1', cookie)).text();
      const denied = page.slice(page.indexOf('<h3>Denied'), page.indexOf('<h3>What happened'));
      return denied.slice(denied.lastIndexOf('class="meta"')).replaceAll(/\s+/g, ' ');
    };
    const granted = 'It has this permission. The request was denied for another reason.';
    expect(await deny('network', 'GET https://api.notes.example/x')).toContain(granted);
    expect(await deny('network', 'GET https://other.example/x')).toContain(
      'Its manifest does not declare it. After the author declares it: <code >--allow network:other.example',
    );
    expect(await deny('storage', 'write a.md')).toContain('--allow storage');
    expect(await deny('fs', '"/srv/<b>"')).toContain('&lt;b&gt;');
    expect(await deny('fs', '"*"')).toContain('Its manifest does not declare it.');
    expect(await deny('powers', 'x')).toContain('No option grants it.');
  });
});

describe('the page of plugins', () => {
  it('offers no switch to a plugin that lacks a value, and one that was switched off its switch', async () => {
    const lacking = 'the environment variable KEY has no value; set it';
    const off = switchedOffWhy('notes');
    for (const [message, word, hasSwitch] of [
      [lacking, '○ inactive', false],
      [off, '○ switched off', true],
    ] as const) {
      const problems = [{ code: 'PLUGIN_INACTIVE', message }] as const;
      const row = {
        status: statusOf('notes', { state: 'inactive', problems }),
        activity: watchActivity(Date.now).of('notes'),
        sharesWith: [],
        isLocked: false,
        isStopped: false,
      };
      const session = { rights: new Set(['administer']), formToken: 'f', by: 'ada' };
      const { text } = pluginsPage([row], session as never);
      expect(text).toContain(word);
      expect(text.includes('Switch on')).toBe(hasSwitch);
      expect(text).not.toContain('Switch off');
    }
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

  it('says that a type of records does not exist, and which was meant', async () => {
    const world = openWorld({
      audit: { head: { seq: 7, hash: HASH }, query: async function* () {} },
    });
    const cookie = await world.enter();
    const search = async (type: string) =>
      (await world.get(`/console/audit?type=${encodeURIComponent(type)}`, cookie)).text();
    const close = (await search('call-startet')).replaceAll(/\s+/g, ' ');
    expect(close).toContain('is not a type of record. Did you mean <code>call-started</code>?');
    expect(await search('<b>')).not.toContain('<b>');
    expect(await search('call-started')).not.toContain('is not a type');
  });
});
