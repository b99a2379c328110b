import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/report/markdown.js';
import { NOW } from './builders.js';
import { reportOn } from './report-on.js';

const about = {
  atMs: NOW - 1_000,
  plugin: 'one',
  kind: 'call',
  call: 'c',
  tool: 'purge',
  bundle: 'b',
  digest: 'd',
  risk: 'high',
  why: 'it destroys',
  type: 'approval-given',
  verdict: 'once',
  approval: 'apr_1',
} as const;

describe('approvals in the report', () => {
  it('measure only the answers of people, and name who or what answered each', async () => {
    const report = await reportOn({}, [
      { ...about, approver: 'person', channel: 'terminal', by: 'ada', waitedMs: 4_000 },
      { ...about, approver: 'flag', channel: 'command-line', by: 'ada', waitedMs: 1 },
      { ...about, approver: 'program', channel: 'host', waitedMs: 2 },
      { ...about, approver: 'rule', channel: 'rules', rule: 'r-1', waitedMs: 0 },
    ]);
    const [plugin] = report.plugins;
    expect(plugin?.approvals).toMatchObject({
      given: 4,
      medianWaitMs: 4_000,
      longestWaitMs: 4_000,
    });
    expect(plugin?.approvals.recent.map(({ by }) => by)).toEqual([
      'rule r-1',
      "the host's approve function (program, host)",
      'the flag --yes of ada',
      'ada (person, terminal)',
    ]);
  });

  it('a report without answers of people says so', async () => {
    const report = await reportOn({}, [
      { atMs: NOW - 1_000, type: 'approval-asked', plugin: 'one', tool: 'purge', call: 'c' },
      { ...about, approver: 'flag', channel: 'command-line', waitedMs: 1 },
    ]);
    expect(report.plugins[0]?.approvals.medianWaitMs).toBeNull();
    expect(renderMarkdown(report)).toContain('no person answered');
  });

  it('say how many questions an hour had, and for which tool a rule would have saved most', async () => {
    const minute = 60_000;
    const asked = (tool: string, ago: number, risk: 'medium' | 'high' = 'medium') => ({
      atMs: NOW - ago * minute,
      type: 'approval-asked',
      plugin: 'one',
      tool,
      call: 'c',
      risk,
    });
    const given = (tool: string, more: object = {}) => ({
      ...about,
      tool,
      risk: 'medium',
      approver: 'person',
      waitedMs: 1,
      ...more,
    });
    const report = await reportOn({}, [
      ...[300, 90, 85, 80, 70, 65].map((ago) => asked('read', ago)),
      ...[10, 9, 8, 7, 6, 5, 4, 3].map((ago) => asked('purge', ago, 'high')),
      asked('write', 2),
      ...[1, 2, 3, 4].map(() => given('read')),
      // No rule saves what was denied, is of high risk, or was answered by a program.
      given('read', { type: 'approval-refused', code: 'APPROVAL_DENIED', reason: 'no' }),
      given('read', { approver: 'program' }),
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => given('purge', { risk: 'high' })),
    ]);
    expect(report.plugins[0]?.approvals).toMatchObject({
      asked: 15,
      busiestHour: 9,
      saver: { tool: 'read', questions: 3 },
    });
  });
});
