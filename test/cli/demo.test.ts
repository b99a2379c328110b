import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, run } from './spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-demo-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('bulkhead demo', () => {
  let ended: Ended;
  beforeAll(async () => {
    ended = await run(['demo'], '', directory);
  }, 120_000);

  it('ends by itself without a terminal, with all as claimed', () => {
    const { stdout, stderr, code } = ended;
    expect(stderr).toBe('');
    expect(stdout).toMatch(/attacks (\d\d)\/\1 blocked/);
    expect(stdout).not.toContain('ESCAPED');
    expect(stdout).toContain('Everything worked as expected.');
    expect(code).toBe(0);
  });

  it('leaves a log whose chain holds, and a report on it', () => {
    expect(ended.stdout).toContain(
      'audit  ./.bulkhead/audit.jsonl (chain ok)    report  ./.bulkhead/report.html',
    );
    expect(existsSync(join(directory, '.bulkhead/audit.jsonl'))).toBe(true);
    const report = readFileSync(join(directory, '.bulkhead/report.html'), 'utf8');
    expect(report).toContain('Escape artist');
    expect(report).toContain('BH-DENIED-ATTEMPT');
  });

  it('shows the same if it cannot write a log, and says why', async () => {
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere);
    // Where the log's directory should be there is a file.
    writeFileSync(join(elsewhere, '.bulkhead'), '');
    chmodSync(elsewhere, 0o500);
    const { stdout, code } = await run(['demo'], '', elsewhere);
    expect(stdout).toMatch(/audit {2}none: The audit log .* cannot be opened/);
    expect(stdout).toContain('Everything worked as expected.');
    expect(code).toBe(0);
  }, 120_000);
});
