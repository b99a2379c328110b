import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';
import { run, writePlugin } from './spawned.js';
import { makeScratch } from '../run-directory.js';

const plugin = writePlugin();
const directory = makeScratch('program');

function program(source: string): string {
  const file = join(directory, 'program.ts');
  writeFileSync(file, source);
  return file;
}

describe('bulkhead run-program', () => {
  it('prints what the program returns, and its output on standard error', async () => {
    const file = program(`const { n }: { n: number } = await tools.sample.run({ n: 1 });
      text('half done');
      return { n: n + 1 };`);
    expect(await run(['run-program', file, plugin])).toMatchObject({
      code: 0,
      stdout: '\n{\n  "n": 2\n}\n',
      stderr: 'half done',
    });
    const { stdout } = await run(['run-program', '-', plugin, '--json'], 'return "text"');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, value: 'text', calls: 0 });
  });

  it('fails with the code and the place of what failed', async () => {
    const cases: [source: string, code: number, words: string][] = [
      ['return 1 +', 4, 'program.ts:1:1\n  cause   The program ends too early'],
      ['\nawait tools.sample.none()', 1, 'There is no tool tools.sample.none'],
      ['return fetch("http://x.test")', 3, 'fix     Call a tool that does it.'],
    ];
    for (const [source, code, words] of cases) {
      const { stderr, ...rest } = await run(['run-program', '-', plugin], source);
      expect({ source, code: rest.code }).toEqual({ source, code });
      expect(stderr).toContain(words);
    }
  });

  it('calls only the tools that --tool names', async () => {
    const source = 'return (await search("")).length';
    const { stdout } = await run(['run-program', '-', plugin, '--tool', 'other*'], source);
    expect(stdout).toBe('0\n');
  });

  it('says what is missing', async () => {
    const none = await run(['run-program']);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('or --resume and its id'),
    ]);
    const lost = await run(['run-program', join(directory, 'none.ts'), plugin]);
    expect([lost.code, lost.stderr]).toEqual([
      1,
      expect.stringContaining('cannot be read: ENOENT'),
    ]);
    const gone = await run(['run-program', '--resume', 'abc', plugin]);
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringContaining('There is no program "abc"'),
    ]);
  });
});

describe('bulkhead add --program', () => {
  it('writes a finished program as a plugin, and locks it', async () => {
    const storage = makeScratch('finished');
    const place = join(makeScratch('saved'), 'count');
    const lock = join(storage, 'lock.json');
    const engine = await createEngine({
      plugins: [plugin],
      grant: 'declared',
      storageDirectory: join(storage, 'data'),
      enclaveKeyFile: join(storage, 'key'),
      logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    });
    const { id } = await engine.runProgram(
      'return (await tools.sample.run({ n: input.n })).n + 1',
      {
        input: { n: 1 },
      },
    );
    await engine.close();
    const data = ['--storage-directory', join(storage, 'data'), '--key-file', join(storage, 'key')];
    const added = await run(['add', '--program', id, place, ...data, '--lock', lock, '--yes']);
    expect(added.stderr).toContain('It may call these tools:\n  sample:run\n');
    expect(added).toMatchObject({ code: 0, stdout: `added count to ${lock}\n` });
    expect(await run(['add', plugin, '--lock', lock, '--yes'])).toMatchObject({ code: 0 });
    await using locked = await createEngine({ plugins: [place, plugin], lockFile: lock });
    expect((await locked.call('count__run', { n: 4 })).value).toBe('5');
    expect(await run(['add', '--program', id, place, ...data, '--lock', lock])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is not empty'),
    });
    const other = await run(['add', '--program', 'call_0', `${place}2`, ...data, '--lock', lock]);
    expect(other.stderr).toContain('There is no finished program "call_0"');
  });
});
