import { describe, expect, it } from 'vitest';
import { treesOf } from '../../src/console/pages/calls.js';
import { watchActivity } from '../../src/console/plugin-activity.js';
import type { InputPolicy } from '../../src/audit/note.js';
import {
  keepRecentCalls,
  type RecentCalls,
  type RecentOptions,
} from '../../src/console/recent-calls.js';

const clock = { ms: 1 };
const recentCalls = (policy: InputPolicy, caps?: Partial<RecentOptions>): RecentCalls =>
  keepRecentCalls(policy, caps, () => clock.ms);

const started = (call: string, more: object = {}) => ({
  atMs: 1,
  type: 'call-started' as const,
  call,
  plugin: 'p',
  tool: 't',
  bundle: 'sha512-x',
  risk: 'low' as const,
  input: '{"city":"Oslo","password":"hush"}',
  ...more,
});

describe('the calls in memory', () => {
  it('are the last ones, within both caps', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] }, { calls: 3, bytes: 1_000_000 });
    for (const id of ['a', 'b', 'c', 'd']) recent.listener(started(id));
    expect(recent.list().map(({ id }) => id)).toEqual(['d', 'c', 'b']);
    const small = recentCalls({ inputs: 'full', redact: [] }, { calls: 100, bytes: 5_000 });
    for (const id of ['a', 'b'])
      small.listener(started(id, { input: JSON.stringify('x'.repeat(1_500)) }));
    expect(small.list().map(({ id }) => id)).toEqual(['b']);
  });

  it('show of inputs and answers what the audit policy allows', () => {
    const shown = (['none', 'digest', 'full'] as const).map((policy) => {
      const recent = recentCalls({ inputs: policy, redact: ['password'] });
      recent.listener(started('a'));
      recent.listener({
        atMs: 2,
        type: 'call-answered',
        call: 'a',
        plugin: 'p',
        tool: 't',
        answer: '{"token":"kept","password":"hush"}',
      });
      const { input, answer } = recent.find('a') ?? {};
      return [input, answer].map((one) => ({
        text: one?.text,
        hasDigest: one?.digest !== undefined,
      }));
    });
    const none = { text: undefined, hasDigest: false };
    const digest = { text: undefined, hasDigest: true };
    expect(shown).toEqual([
      [none, none],
      [digest, digest],
      [
        { text: '{"city":"Oslo","password":"[redacted]"}', hasDigest: true },
        { text: '{"token":"kept","password":"[redacted]"}', hasDigest: true },
      ],
    ]);
  });

  it('have the approval that they began with, and the requests that one of several sent', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] });
    const about = { plugin: 'p', tool: 't', bundle: 'b', digest: 'd', risk: 'medium' } as const;
    recent.listener({
      ...about,
      atMs: 1,
      type: 'approval-given',
      kind: 'call',
      call: 'a',
      why: 'its risk is medium',
      verdict: 'once',
      approver: 'person',
      channel: 'http',
      by: 'ann',
      waitedMs: 3,
    });
    for (const id of ['a', 'b', 'c']) recent.listener(started(id));
    const used = { atMs: 2, type: 'capability-used', plugin: 'p', permission: 'network' } as const;
    recent.listener({ ...used, wanted: 'GET https://a.test/', among: ['a', 'b'] });
    recent.listener({ ...used, wanted: 'GET https://b.test/', call: 'b' });
    const stepsOf = (id: string) =>
      recent
        .find(id)
        ?.steps.map(({ text, wanted, isPerhaps = false }) => `${text} ${wanted} ${isPerhaps}`);
    expect(stepsOf('a')).toEqual([
      'approved (once) by person: ann  false',
      'network GET https://a.test/ true',
    ]);
    expect(stepsOf('b')).toEqual([
      'network GET https://a.test/ true',
      'network GET https://b.test/ false',
    ]);
    expect(stepsOf('c')).toEqual([]);
  });

  it('say of a dry run what was not sent, and a plugin’s counts leave dry runs out', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] });
    const activity = watchActivity(() => 60_000);
    const wanted = 'POST https://a.test/';
    const denied = { atMs: 2, type: 'capability-denied', plugin: 'p', wanted } as const;
    for (const { listener } of [recent, activity]) {
      listener(started('a', { mode: 'dry-run' }));
      listener({ ...denied, permission: 'network', call: 'a' });
      listener({
        atMs: 3,
        type: 'call-ended',
        call: 'a',
        plugin: 'p',
        tool: 't',
        outcome: 'error',
        durationMs: 1,
      });
    }
    expect(recent.find('a')).toMatchObject({
      isDryRun: true,
      steps: [{ kind: 'effect', text: 'not sent: network' }],
    });
    expect(activity.of('p')).toMatchObject({ calls: 0, failed: 0, denied: [] });
  });

  it('keep recordings within the cap of bytes, and forget them with their call', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] }, { calls: 9, bytes: 20_000 });
    const record = (call: string, length: number): void => {
      recent.listener(started(call));
      recent.listener({
        atMs: 2,
        type: 'call-recorded',
        call,
        plugin: 'p',
        tool: 't',
        recording: 'x'.repeat(length),
      });
    };
    record('large', 4_000);
    expect(recent.find('large')).toMatchObject({ isRecorded: false });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) record(id, 2_000);
    expect(recent.recordingOf('f')).toHaveLength(2_000);
    expect(recent.find('a')).toBeUndefined();
    expect(recent.recordingOf('a')).toBeUndefined();
    expect(recent.list().length).toBeGreaterThan(2);
  });

  it('are forgotten after their hours, and for a tenant at once', () => {
    const recent = recentCalls({ inputs: 'full', redact: [] }, { hours: 2 });
    const hour = 3_600_000;
    recent.listener(started('old'));
    recent.listener(started('a', { atMs: hour, tenant: 'acme' }));
    recent.listener(started('b', { atMs: hour, tenant: 'other' }));
    try {
      clock.ms = 2 * hour + 2;
      expect(recent.find('old')).toBeUndefined();
      expect(recent.list({ tenant: 'acme' }).map(({ id }) => id)).toEqual(['a']);
      expect([recent.forget('acme'), recent.forget('acme')]).toEqual([1, 0]);
      expect(recent.list().map(({ id }) => id)).toEqual(['b']);
      clock.ms = 4 * hour;
      expect(recent.list()).toEqual([]);
    } finally {
      clock.ms = 1;
    }
  });

  it('form trees, also if a caller names itself or is not kept', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] });
    recent.listener(started('prog'));
    recent.listener(started('inner', { parent: 'prog' }));
    recent.listener(started('second', { parent: 'prog' }));
    recent.listener(started('orphan', { parent: 'gone' }));
    recent.listener(started('self', { parent: 'self' }));
    expect(
      treesOf(recent.list()).map(({ call, children }) => [
        call.id,
        children.map((one) => one.call.id),
      ]),
    ).toEqual([
      ['orphan', []],
      ['prog', ['inner', 'second']],
    ]);
    const [call] = recent.list();
    expect(
      treesOf([
        { ...call, id: 'x' },
        { ...call, id: 'x' },
      ] as never),
    ).toHaveLength(1);
  });

  it('have their requests, denials and end, and no endless list of them', () => {
    const recent = recentCalls({ inputs: 'none', redact: [] });
    recent.listener(started('a'));
    for (let index = 0; index < 250; index += 1) {
      recent.listener({
        atMs: 2,
        type: 'capability-denied',
        plugin: 'p',
        permission: 'fs',
        wanted: '"/etc/passwd"',
        call: 'a',
      });
    }
    recent.listener({
      atMs: 9,
      type: 'call-ended',
      call: 'a',
      plugin: 'p',
      tool: 't',
      outcome: 'error',
      code: 'TOOL_FAILED',
      durationMs: 8,
    });
    const call = recent.find('a');
    expect(call?.steps).toHaveLength(200);
    expect(call?.dropped).toBe(50);
    expect(call?.end).toEqual({ outcome: 'error', code: 'TOOL_FAILED', durationMs: 8 });
  });
});

describe('what plugins did', () => {
  it('keeps the last log lines, and counts calls by minute', () => {
    const activity = watchActivity(() => 60 * 60_000);
    for (let index = 0; index < 600; index += 1) {
      activity.listener({
        atMs: index,
        type: 'log',
        plugin: 'p',
        level: 'info',
        text: `line ${index}`,
      });
    }
    activity.listener(started('a', { atMs: 60 * 60_000 }));
    activity.listener(started('b', { atMs: 59 * 60_000 }));
    expect(activity.logsOf('p')).toHaveLength(500);
    expect(activity.logsOf('p')[0]?.text).toBe('line 100');
    expect(activity.of('p').perMinute.slice(-2)).toEqual([1, 1]);
    expect(activity.of('p').calls).toBe(2);
  });
});
