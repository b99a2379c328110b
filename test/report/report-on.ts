import type { Report } from '../../src/report/report.js';
import { granted, recordsOf, statusOf } from './builders.js';
import { sampleReport } from './sample.js';

type Permissions = Parameters<typeof granted>[1];

/** A report on one plugin that was granted this, and did that. */
export function reportOn(
  permissions: Permissions,
  records: Parameters<typeof recordsOf>[0] = [],
  more: Parameters<typeof sampleReport>[0] & {
    readonly status?: Parameters<typeof statusOf>[1];
  } = {},
): Promise<Report> {
  return sampleReport({
    plugins: [statusOf('one', { permissions, ...more.status })],
    records: recordsOf([granted('one', permissions), ...records]),
    lock: { plugins: { one: { bundles: { tools: statusOf('one', {}).entries[0]?.bundle } } } },
    ...more,
  });
}

export async function found(report: Promise<Report>): Promise<string[]> {
  return (await report).findings.map(({ rule, subject }) => `${rule} ${subject}`);
}
