import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { digestOf } from '../../src/engine/recording/recording.js';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from './in-process.js';
import { lineOf, run as runProcess, writePlugin } from './spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-cli-replay-'));
const file = join(directory, 'records', 'call.json');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('bulkhead replay', () => {
  it('replays a recorded call without its plugin, with the same result', async () => {
    const plugin = writePlugin({
      entry: { permissions: { time: true, random: true } },
      execute: 'logger.info("at " + Date.now()); return [Math.random(), input.word];',
    });
    mkdirSync(dirname(file));
    // It was there, for everybody to read: it is not any more once it holds what it does.
    writeFileSync(file, '', { mode: 0o644 });
    const called = await run([
      'call',
      plugin,
      'run',
      '--input',
      '{"word":"first"}',
      '--record',
      file,
    ]);
    expect(called.code).toBe(0);
    expect(called.stderr).toMatch(/recorded \d+ frames/);
    expect(statSync(file).mode & 0o077).toBe(0);
    rmSync(plugin, { recursive: true });
    const { code, stdout } = await runProcess(['replay', file]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^same {2}\d+ frames\n$/) as string,
    });
    expect(lineOf(await run(['replay', file, '--json']))).toMatchObject({ same: true });
  });

  it('runs the current code of a plugin, as a regression test', async () => {
    const execute = 'return [Math.random(), input.word];';
    const plugin = writePlugin({ entry: { permissions: { random: true } }, execute });
    const recorded = join(directory, 'current.json');
    const args = ['call', plugin, 'run', '--input', '{"word":"a"}', '--record', recorded];
    expect(await run(args)).toMatchObject({ code: 0 });
    const source = join(plugin, 'index.ts');
    const text = readFileSync(source, 'utf8');
    const replay = (content: string) => {
      writeFileSync(source, content);
      return run(['replay', recorded, '--plugin', plugin]);
    };
    expect(await replay(text.replace("'Runs'", "'Runs again'"))).toMatchObject({ code: 0 });
    const changed = await replay(text.replace('input.word', '"b"'));
    expect(changed).toMatchObject({ code: 2, stdout: expect.stringContaining('DIFFERENT') });
    const broken = await replay(`${text}x = ;`);
    expect(broken).toMatchObject({ code: 4, stderr: expect.stringContaining('BUNDLE_FAILED') });
    const gone = await replay(text.replace("'run'", "'walk'"));
    expect(gone.stderr).toContain('sample does not have the recorded tool run now.');
  });

  it('shows the first difference, and exits with 2', async () => {
    const again = join(directory, 'again.json');
    const text = readFileSync(file, 'utf8');
    const at = text.lastIndexOf('"first"');
    const changed = JSON.parse(`${text.slice(0, at)}"third"${text.slice(at + '"first"'.length)}`);
    // A recording of a plugin that answered differently, with its own digest.
    writeFileSync(again, JSON.stringify({ ...changed, digest: digestOf(changed) }));
    const { code, stdout } = await run(['replay', again]);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^DIFFERENT {2}at frame \d+\n {2}recorded {2}replied .*third.*\n {2}now {7}replied .*first/,
    );
  });

  it('refuses a recording that was changed after it was written', async () => {
    const other = join(directory, 'other.json');
    writeFileSync(other, readFileSync(file, 'utf8').replaceAll('"first"', '"second"'));
    const { code, stderr } = await run(['replay', other]);
    expect(code).toBe(1);
    expect(stderr).toContain('its content does not match its digest');
  });

  it('rejects a file that is not a recording', async () => {
    const none = join(directory, 'none.json');
    expect(await run(['replay', none])).toMatchObject({ code: 1 });
    writeFileSync(none, '{"hello":1}');
    const { code, stderr } = await run(['replay', none]);
    expect(code).toBe(1);
    expect(stderr).toContain('recording');
  });
});
