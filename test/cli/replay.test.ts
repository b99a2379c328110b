import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lineOf, run, writePlugin } from './spawned.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-cli-replay-'));
const file = join(directory, 'records', 'call.json');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('bulkhead replay', () => {
  it('runs a recorded call again where its plugin is gone, and finds it the same', async () => {
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
    const { code, stdout } = await run(['replay', file]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^same {2}\d+ frames, bit for bit\n$/) as string,
    });
    expect(lineOf(await run(['replay', file, '--json']))).toMatchObject({ same: true });
  });

  it('shows the first difference, and exits with 2', async () => {
    const other = join(directory, 'other.json');
    writeFileSync(other, readFileSync(file, 'utf8').replaceAll('"first"', '"second"'));
    const again = join(directory, 'again.json');
    const text = readFileSync(file, 'utf8');
    const at = text.lastIndexOf('"first"');
    writeFileSync(again, `${text.slice(0, at)}"third"${text.slice(at + '"first"'.length)}`);
    // What went in and what came out fit each other.
    expect(await run(['replay', other])).toMatchObject({ code: 0 });
    const { code, stdout } = await run(['replay', again]);
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^DIFFERENT {2}at frame \d+\n {2}recorded {2}answered .*third.*\n {2}now {7}answered .*first/,
    );
  });

  it('says of another file that it is no record', async () => {
    const none = join(directory, 'none.json');
    expect(await run(['replay', none])).toMatchObject({ code: 1 });
    writeFileSync(none, '{"hello":1}');
    const { code, stderr } = await run(['replay', none]);
    expect(code).toBe(1);
    expect(stderr).toContain('no record of a call');
  });
});
