import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openLockFiles } from '../../../src/engine/node/lock-files.js';
import { makeDirectory } from '../plugin-on-disk.js';

const built = new URL('../../../dist/src/engine/node/lock-files.js', import.meta.url).href;

/** A process that adds one to the number in the file, so many times, and takes its time. */
const ADDER = `
const { openLockFiles } = await import(${JSON.stringify(built)});
const files = openLockFiles(process.argv[1], process.argv[1] + '.store');
for (let n = 0; n < 20; n += 1) {
  files.change((text) => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return String(Number(text ?? 0) + 1);
  });
}`;

describe('a file under a mutex', () => {
  it('has the changes of every process that wrote it', async () => {
    const directory = makeDirectory();
    const path = join(directory, 'lock.json');
    const run = promisify(execFile);
    const add = (): Promise<unknown> =>
      run(process.execPath, ['--input-type=module', '-e', ADDER, path]);
    await Promise.all([add(), add(), add()]);
    expect(readFileSync(path, 'utf8')).toBe('60');
    expect(readdirSync(directory)).toEqual(['lock.json']);
  });

  it('is unchanged after a change that throws, and its mutex is free', () => {
    const path = join(makeDirectory(), 'lock.json');
    const files = openLockFiles(path, `${path}.store`);
    files.change(() => 'one');
    expect(() =>
      files.change(() => {
        throw new Error('not now');
      }),
    ).toThrow('not now');
    expect(files.read()).toBe('one');
    files.change((text) => `${text} two`);
    expect(files.read()).toBe('one two');
  });

  it.each([
    ['long ago', -60],
    ['by a clock that was set back since', 600],
  ])('can be changed if the process that held its mutex died %s', (_when, seconds) => {
    const path = join(makeDirectory(), 'lock.json');
    const files = openLockFiles(path, `${path}.store`);
    writeFileSync(`${path}.mutex`, '1 - 1');
    const made = Date.now() / 1000 + seconds;
    utimesSync(`${path}.mutex`, made, made);
    files.change(() => 'whole');
    expect(files.read()).toBe('whole');
    expect(existsSync(`${path}.mutex`)).toBe(false);
  });
});
