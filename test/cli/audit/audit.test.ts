import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seal } from '../../../src/audit/chain.js';
import type { AuditRecord } from '../../../src/audit/record.js';
import { run } from '../in-process.js';
import { ended, lineOf, start, writePlugin } from '../spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-cli-audit-'));
const file = join(directory, 'audit.jsonl');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Line {
  readonly seq: number;
  readonly type: string;
  readonly call?: string;
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  const plugin = writePlugin({ execute: 'if (input.clock) Date.now(); return 1;' });
  await run(['call', plugin, 'run', '--audit', file]);
  await run(['call', plugin, 'run', '--input', '{"clock":true}', '--audit', file]);
});

describe('bulkhead audit', () => {
  it('shows records as lines for people, and as lines of JSON', async () => {
    const shown = await run(['audit', '--file', file]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('DENIED time: Date.now');
    const lines = linesOf((await run(['audit', '--file', file, '--json'])).stdout);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
  });

  it('finds records by what they are about', async () => {
    const args = ['audit', '--file', file, '--json', '--plugin', 'sample', '--since', '1h'];
    const { stdout } = await run([...args, '--type', 'call-ended', 'capability-denied']);
    expect(linesOf(stdout).map(({ type }) => type)).toEqual([
      'call-ended',
      'capability-denied',
      'call-ended',
    ]);
    expect(await run([...args, '--until', '1h'])).toMatchObject({ code: 0, stdout: '' });
    expect(await run(['audit', '--file', file, '--since', 'soon'])).toMatchObject({ code: 1 });
  });

  it('says if there is no log', async () => {
    const { code, stderr } = await run(['audit', '--file', join(directory, 'none.jsonl')]);
    expect(code).toBe(4);
    expect(stderr).toContain('does not exist');
  });

  it('follows what is written meanwhile, until it is interrupted', async () => {
    const following = start([
      'audit',
      '--file',
      file,
      '--follow',
      '--json',
      '--type',
      'log-closed',
    ]);
    let seen = '';
    const third = new Promise<void>((resolve) => {
      following.stdout.on('data', (text: Buffer) => {
        seen += text.toString();
        if (seen.split('\n').length > 3) resolve();
      });
    });
    await run(['call', writePlugin(), 'run', '--audit', file]);
    await third;
    following.kill('SIGINT');
    expect((await ended(following)).code).toBe(130);
    expect(linesOf(seen).length).toBe(3);
  });

  it('takes an anchor, and sees by it that the log was cut', async () => {
    const { stdout: anchor } = await run(['audit', 'anchor', '--file', file]);
    expect(anchor).toMatch(/^bulkhead-audit:\d+:[\da-f]{64}\n$/);
    const note = join(directory, 'anchors.txt');
    writeFileSync(note, `yesterday: ${anchor}`);
    const args = ['audit', 'verify', '--file', file];
    expect(await run([...args, '--anchor', `@${note}`])).toMatchObject({ code: 0 });
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${whole.trimEnd().split('\n').slice(0, -3).join('\n')}\n`);
    expect(await run(args)).toMatchObject({ code: 0 });
    const cut = await run([...args, '--anchor', anchor.trim(), '--json']);
    expect(cut.code).toBe(2);
    expect(lineOf(cut)).toMatchObject({ ok: false, kind: 'truncated' });
    writeFileSync(file, whole);
  });

  it('refuses a type of record that does not exist, and options of another action', async () => {
    const unknown = await run(['audit', '--file', file, '--type', 'call-endd']);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('did you mean call-ended?');
    const misplaced = await run(['audit', '--file', file, '--accept-unattested']);
    expect(misplaced.code).toBe(1);
    expect(misplaced.stderr).toContain('--accept-unattested needs `audit verify`');
  });

  it('verifies a signed log with the public key, and finds a record that was appended', async () => {
    const key = join(directory, 'keys', 'sign.pem');
    const anchors = join(directory, 'elsewhere', 'anchors.txt');
    const signed = join(directory, 'signed', 'audit.jsonl');
    await run(['keys', 'new', 'sign', '--out', key]);
    const options = ['--audit', signed, '--audit-key', key, '--audit-anchor', anchors];
    expect((await run(['call', writePlugin(), 'run', ...options])).code).toBe(0);
    const verify = ['audit', 'verify', '--file', signed, '--key', key.replace('.pem', '.pub')];
    const intact = await run([...verify, '--anchor', `@${anchors}`]);
    expect(intact.stdout).toMatch(/^intact {2}\d+ records, \d+ anchored, \d+ signed/);
    const lines = readFileSync(signed, 'utf8').trimEnd().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '') as AuditRecord;
    const more = seal(last, { type: 'log-opened', atMs: 1, pid: 1 }).line;
    writeFileSync(signed, `${[...lines, more].join('\n')}\n`);
    expect((await run(['audit', 'verify', '--file', signed])).code).toBe(0);
    const found = await run(verify);
    expect(found.code).toBe(2);
    expect(found.stdout).toContain('unattested');
    expect(found.stdout).toContain('no signature vouches for 1 of');
    expect((await run([...verify, '--accept-unattested'])).code).toBe(0);
    // The next engine does not vouch for it either.
    await run(['call', writePlugin(), 'run', ...options]);
    expect((await run(verify)).stdout).toContain('no signature vouches for 1 of');
  });

  it('names the first record at which the log was tampered with', async () => {
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('TIME_DENIED', 'TOOL_FAILED'));
    const { code, stdout } = await run(['audit', 'verify', '--file', file]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^BROKEN .*audit\.jsonl:\d+ {2}changed/);
    writeFileSync(file, whole);
  });
});

describe('bulkhead why', () => {
  it('accounts for a call by its records', async () => {
    const { stdout } = await run([
      'audit',
      '--file',
      file,
      '--json',
      '--type',
      'capability-denied',
    ]);
    const call = linesOf(stdout)[0]?.call ?? '';
    const { code, stdout: text } = await run(['why', call, '--file', file]);
    expect(code).toBe(0);
    expect(text).toContain(': failed');
    expect(text).toContain('Clock: none.');
    expect(text).toContain('DENIED time: Date.now at index.ts:');
    expect(text).toContain('run ended TIME_DENIED');
    expect(lineOf(await run(['why', call, '--file', file, '--json']))).toMatchObject({
      call,
      plugin: 'sample',
      outcome: 'error',
    });
  });

  it('says that the log does not have the call', async () => {
    expect(await run(['why', 'call_none', '--file', file])).toMatchObject({ code: 1 });
  });
});
