import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './in-process.js';
import { lineOf, run as runProcess, writePlugin } from './spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-cli-report-'));
const log = join(directory, 'audit.jsonl');
const out = join(directory, 'out');
const base = ['report', '--file', log, '--lock', join(directory, 'bulkhead.lock.json')];
let plugin = '';
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(async () => {
  plugin = writePlugin({
    entry: { permissions: { fs: ['data', 'more'] } },
    execute: 'if (input.clock) Date.now(); return (await readFile("data/a.txt")).length;',
    files: { 'data/a.txt': 'abc' },
  });
  await run(['call', plugin, 'run', '--audit', log]);
  await run(['call', plugin, 'run', '--input', '{"clock":true}', '--audit', log]);
});

describe('bulkhead report', () => {
  it('finds the plugins in the log, and shows their permissions and actions', async () => {
    const { code, stdout } = await runProcess(base);
    expect(code).toBe(0);
    expect(stdout).toMatch(/sample +fs data +yes +yes +1 time/);
    expect(stdout).toMatch(/sample +fs more +yes +yes +never/);
    expect(stdout).toContain('BH-DENIED-ATTEMPT');
  });

  it('exits with 2 if a rule that fails the report has a finding', async () => {
    expect(await run([...base, '--fail-on', 'BH-DENIED-ATTEMPT'])).toMatchObject({ code: 2 });
    expect(await run([...base, '--fail-on', 'BH-HOST-MODE,BH-PERM-WIDE'])).toMatchObject({
      code: 0,
    });
    expect(await run([...base, '--fail-on', 'any'])).toMatchObject({ code: 2 });
    expect(await run([...base, '--fail-on', 'BH-NONE'])).toMatchObject({ code: 1 });
  });

  it('does not treat a missing log as no finding if the log was named', async () => {
    const args = ['report', '--file', join(directory, 'adit.jsonl'), '--fail-on', 'any'];
    const { code, stdout, stderr } = await run(args, { cwd: directory });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('does not exist');
  });

  it('ignores findings that were accepted, until the acceptance expires', async () => {
    const file = join(directory, 'exceptions.json');
    const exception = {
      rule: 'BH-DENIED-ATTEMPT',
      plugin: 'sample',
      reason: 'known',
      owner: 'ada',
    };
    const args = [...base, '--fail-on', 'BH-DENIED-ATTEMPT', '--exceptions', file];
    writeFileSync(file, JSON.stringify({ exceptions: [{ ...exception, until: '2999-12-31' }] }));
    expect(await run(args)).toMatchObject({ code: 0 });
    writeFileSync(file, JSON.stringify({ exceptions: [{ ...exception, until: '2001-12-31' }] }));
    expect(await run(args)).toMatchObject({ code: 2 });
    writeFileSync(file, JSON.stringify({ exceptions: [exception] }));
    expect(await run(args)).toMatchObject({ code: 1 });
  });

  it.each(['out.pdf', 'reports'])('does not ignore the path %s', async (path) => {
    const { code, stdout, stderr } = await run([...base, '-o', path]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`the table is not written into ${path}; name a file like report.html`);
  });

  it('writes every format, and shows the changes since the last report', async () => {
    const formats = ['--format', 'html,json,md,sarif', '-o', out];
    expect(await run([...base, ...formats])).toMatchObject({ code: 0, stdout: '' });
    for (const name of ['report.html', 'report.json', 'report.md', 'report.sarif']) {
      expect(existsSync(join(out, name))).toBe(true);
    }
    const former = readFileSync(join(out, 'report.json'), 'utf8');
    writeFileSync(join(out, 'report.json'), former.replace('"scope": "more"', '"scope": "other"'));
    await run([...base, ...formats]);
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as {
      plugins: { changes: string[] }[];
    };
    expect(report.plugins[0]?.changes).toEqual([
      'It was granted fs more.',
      'It no longer has fs other.',
    ]);
  });

  it('prints one line of JSON for scripts', async () => {
    expect(lineOf(await run([...base, '--json', '--since', '1h']))).toMatchObject({
      format: 'bulkhead-report',
      plugins: [{ id: 'sample', tools: [{ tool: 'run', calls: 2, failed: 1 }] }],
    });
  });

  it('says that there is no log, and still reports on installed plugins', async () => {
    const { code, stdout } = await run([
      'report',
      plugin,
      '--file',
      join(directory, 'none'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ log: null, plugins: [{ id: 'sample' }] });
  });

  it('says of a log that was tampered with that it is', async () => {
    const broken = join(directory, 'broken.jsonl');
    writeFileSync(broken, readFileSync(log, 'utf8').replace('"run"', '"ran"'));
    const report = JSON.parse(
      (await run(['report', plugin, '--file', broken, '--json'])).stdout,
    ) as unknown;
    expect(report).toMatchObject({ log: { sound: false } });
  });
});
