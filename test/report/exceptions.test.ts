import { describe, expect, it } from 'vitest';
import { type ExceptionRule, parseExceptions } from '../../src/report/exceptions.js';
import type { Report } from '../../src/report/report.js';
import { call, granted, NOW, recordsOf } from './builders.js';
import { reportOn } from './report-on.js';

describe('exceptions', () => {
  const exception: ExceptionRule = {
    rule: 'BH-PERM-WIDE',
    plugin: 'one',
    subject: undefined,
    reason: 'their servers move',
    owner: 'ada',
    until: '2026-11-20',
  };
  const wide = (exceptions: readonly ExceptionRule[], nowMs: number): Promise<Report> =>
    reportOn({ network: ['*.a.test'] }, [], { exceptions, nowMs, unusedAfterMs: Infinity });

  it('hold to the end of their last day, and are a finding again after it', async () => {
    const last = await wide([exception], Date.parse('2026-11-20T23:00:00Z'));
    expect(last.findings).toMatchObject([{ excepted: true, exception: { owner: 'ada' } }]);
    const after = await wide([exception], Date.parse('2026-11-21T00:00:01Z'));
    expect(after.findings).toMatchObject([{ excepted: false }]);
    expect(after.findings[0]?.message).toContain(
      'An exception for it expired on 2026-11-20 (ada: their servers move).',
    );
  });

  it('hold for the plugin, the rule and the subject that they name', async () => {
    const others = [
      { ...exception, plugin: 'two' },
      { ...exception, rule: 'BH-HOST-MODE' },
      { ...exception, subject: 'network *.b.test' },
    ];
    expect((await wide(others, NOW)).findings).toMatchObject([
      { excepted: false, exception: null },
    ]);
    const fitting = { ...exception, subject: 'network *.a.test' };
    expect((await wide([fitting], NOW)).findings).toMatchObject([{ excepted: true }]);
  });

  it.each([
    ['a reason', { reason: ' ' }],
    ['an owner', { owner: undefined }],
    ['an end', { until: 'never' }],
  ])('have %s, or are none', (_, without) => {
    expect(() =>
      parseExceptions({ exceptions: [{ ...exception, subject: 'x', ...without }] }),
    ).toThrow(/is invalid/);
  });
});

describe('a log that is a file like any other', () => {
  it('may name something that is not a permission, and breaks nothing', async () => {
    const odd = granted('one', { network: ['not a host!!'], fs: ['../..'] });
    const records = recordsOf([odd, ...call('one', 't', NOW - 1, ['network nonsense', 'fs "x"'])]);
    const report = await reportOn({}, [], { records });
    expect(report.plugins[0]?.permissions.map(({ scope }) => scope)).toEqual([
      'not a host!!',
      '../..',
    ]);
  });
});
