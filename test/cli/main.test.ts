import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ended, lineOf, run, start, writePlugin } from './spawned.js';

describe('the process of bulkhead call --json', () => {
  it('lets a large result leave before it exits', async () => {
    const directory = writePlugin({ execute: "return 'é'.repeat(400_000);" });
    const child = start(['call', directory, 'run', '--json']);
    child.stdin.end();
    // The pipe has no reader for a while: it is full, and the process has to wait.
    await sleep(1_500);
    const { stdout, code } = await ended(child);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: 'é'.repeat(400_000) });
    expect(code).toBe(0);
  });

  it('exits without an error if its output pipe is closed', async () => {
    const directory = writePlugin({ execute: "return 'x'.repeat(400_000);" });
    const child = start(['call', directory, 'run', '--json']);
    child.stdin.end();
    child.stdout.destroy();
    const [stderr, code] = await Promise.all([
      text(child.stderr),
      new Promise((resolve) => child.once('exit', resolve)),
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it.each([
    ['a plugin that throws', { execute: "throw new Error('no');" }, 'TOOL_FAILED', 5],
    ['a plugin that throws while it loads', { top: "throw new Error('no');" }, 'LOAD_FAILED', 4],
    ['a plugin with a syntax error', { top: 'const = 1;' }, 'BUNDLE_FAILED', 4],
    [
      'a manifest that is not JSON',
      { files: { 'pandora.manifest.json': '{' } },
      'INVALID_MANIFEST',
      4,
    ],
    [
      'a plugin that prints',
      { execute: "console.log('{}\\n{}'); throw new Error('no');" },
      'TOOL_FAILED',
      5,
    ],
    [
      'a plugin that wants to run unconfined',
      { entry: { sandbox: 'host' } },
      'HOST_MODE_DENIED',
      3,
    ],
    ['a tool that asks', { entry: { requireApproval: true } }, 'APPROVAL_REQUIRED', 3],
  ])('prints one line for %s', async (_, spec, code, exitCode) => {
    const result = await run(['call', writePlugin(spec), 'run', '--json']);
    expect(lineOf(result)).toMatchObject({
      ok: false,
      error: { code, message: expect.any(String) },
      durationMs: expect.any(Number),
    });
    expect(result.code).toBe(exitCode);
  });

  it('prints one line for a directory that does not exist', async () => {
    const result = await run(['call', '/no/such/plugin', 'run', '--json']);
    expect(lineOf(result)).toMatchObject({ ok: false, error: { code: 'PLUGIN_NOT_FOUND' } });
    expect(result.code).toBe(4);
  });

  it('prints one line for a tool that does not exist', async () => {
    const result = await run(['call', writePlugin(), 'rum', '--json']);
    expect(lineOf(result)).toMatchObject({ ok: false, error: { code: 'TOOL_NOT_FOUND' } });
    expect(result.code).toBe(1);
  });

  it('stops a loop at the deadline and exits with 6', async () => {
    const directory = writePlugin({ execute: 'for (;;);' });
    const result = await run(['call', directory, 'run', '--json', '--timeout', '300']);
    expect(lineOf(result)).toMatchObject({ ok: false, error: { code: 'DEADLINE_EXCEEDED' } });
    expect(result.code).toBe(6);
  });

  it('runs a tool that needs approval if --yes approves it', async () => {
    const directory = writePlugin({ entry: { requireApproval: true } });
    const result = await run(['call', directory, 'run', '--json', '--yes', '--input', '{"a":1}']);
    expect(lineOf(result)).toMatchObject({ ok: true, result: { a: 1 } });
  });

  it('gives a plugin the variables it declared, from --env and from the host', async () => {
    const directory = writePlugin({
      execute: 'return { ...env };',
      entry: { permissions: { env: ['GIVEN', 'PATH'] } },
    });
    const result = await run([
      'call',
      directory,
      'run',
      '--json',
      '--env',
      'GIVEN=a',
      '--env',
      'OTHER=b',
    ]);
    expect(lineOf(result)).toMatchObject({ result: { GIVEN: 'a', PATH: process.env['PATH'] } });
    expect(result.stdout).not.toContain('OTHER');
  });

  it('answers an interrupt by giving the call up, and exits with 130', async () => {
    const directory = writePlugin({
      execute: "console.log('started'); await new Promise(() => {});",
    });
    const child = start(['call', directory, 'run', '--json']);
    child.stdin.end();
    await new Promise((resolve) => child.stderr.once('data', resolve));
    child.kill('SIGINT');
    const result = await ended(child);
    expect(lineOf(result)).toMatchObject({ ok: false, error: { code: 'CANCELLED' } });
    expect(result.code).toBe(130);
  });
});

describe('the process of bulkhead batch', () => {
  it('reuses guests between lines, and separates plugins of one id', async () => {
    const counting = { top: 'let count = 0;', execute: 'count += 1; return count;' };
    const [first, second] = [writePlugin(counting), writePlugin(counting)];
    const input = [first, first, second, first]
      .map((plugin, id) => `${JSON.stringify({ plugin, tool: 'run', id })}\n`)
      .join('');
    const { stdout, code } = await run(['batch'], input);
    const answers: unknown[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { id: 0, ok: true, result: 1 },
      { id: 1, ok: true, result: 2 },
      { id: 2, ok: true, result: 1 },
      { id: 3, ok: true, result: 3 },
    ]);
    expect(code).toBe(0);
  });

  it('answers a line while its input is still open', async () => {
    const directory = writePlugin();
    const child = start(['batch', '--yes']);
    child.stdin.write(
      `${JSON.stringify({ plugin: directory, tool: 'run', input: { say: 'hello' } })}\n`,
    );
    const chunk = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
    expect(JSON.parse(chunk.toString())).toMatchObject({ ok: true, result: { say: 'hello' } });
    child.stdin.end();
    expect((await ended(child)).code).toBe(0);
  });
});
