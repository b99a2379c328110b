import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { START, seal } from '../../../src/audit/chain.js';
import { recordLine } from '../../../src/cli/audit.js';
import { makePaint } from '../../../src/cli/output.js';
import { type AuditRecord, readAudit } from '../../../src/entry-points/audit.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-hostile-log-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const bad = '\u001b[2J\u009b31m\u202e';
const ended = {
  type: 'call-ended',
  atMs: 1,
  call: bad,
  plugin: bad,
  tool: bad,
  outcome: 'ok',
  code: bad,
  durationMs: 1,
  at: bad,
} as const;

/** A log written by hand, each record with a correct hash. */
async function read(...entries: object[]): Promise<AuditRecord[]> {
  const file = join(directory, 'audit.jsonl');
  let head = START;
  const lines = entries.map((entry) => {
    const { record, line } = seal(head, entry as Parameters<typeof seal>[1]);
    head = record;
    return `${line}\n`;
  });
  writeFileSync(file, lines.join(''));
  const records: AuditRecord[] = [];
  for await (const record of readAudit(file).query()) records.push(record);
  return records;
}

describe('a log that an attacker wrote', () => {
  it('cannot steer a terminal', async () => {
    const [record, ...more] = await read(ended);
    expect(more).toEqual([]);
    if (record === undefined) throw new Error('expected a record');
    expect(recordLine(record, makePaint(false))).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('has no record with an invalid time', async () => {
    const times = [8.64e15, 8.640000000000001e15, 1e99, -1e99];
    const records = await read(...times.map((atMs) => ({ ...ended, atMs })));
    expect(records.map(({ atMs }) => atMs)).toEqual([8.64e15]);
  });
});
