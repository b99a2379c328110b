/** `bulkhead call --files`: the names under which files of a tool are saved. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemCapabilities } from '../../src/cli/system-capabilities.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';
import { runFake } from './fake.js';
import { runCli } from '../../src/cli/run.js';
import { makeSink } from './sinks.js';

function made(...names: readonly string[]) {
  return () => {
    const files = names.map((name, at) => ({
      id: `${at}`,
      path: `/workspace/${name}`,
      name,
      bytes: 1,
      calls: ['call_1'],
    }));
    return {
      list: () => files,
      open: (id: string) =>
        Promise.resolve(
          files
            .filter((file) => file.id === id)
            .map((file) => ({ ...file, content: new Blob([`of ${id}`]).stream() }))[0],
        ),
    };
  };
}

it('saves each file under a plain name of its own', async () => {
  const { code, written, stderr, stdout } = await runFake(
    ['call', '/p', 't', '--files', '/out', '--json'],
    {
      made: made(
        'report.pdf',
        'REPORT.pdf',
        '..',
        '.npmrc',
        'a\u0000/b\n',
        '',
        '-rf',
        `${'x'.repeat(300)}.txt`,
        '\u202egnp.exe',
      ),
    },
  );
  expect(code).toBe(0);
  expect([...written.keys()]).toEqual([
    '/out/report.pdf',
    '/out/REPORT-2.pdf',
    '/out/_',
    '/out/_npmrc',
    '/out/a__b_',
    '/out/file',
    '/out/_rf',
    `/out/${'x'.repeat(60)}.txt`,
    '/out/_gnp.exe',
  ]);
  expect(written.get('/out/REPORT-2.pdf')).toBe('of 1');
  expect(stderr.text).not.toMatch(/\u202e|\u0000/);
  expect(JSON.parse(stdout.text).files[0]).toEqual({
    path: '/workspace/report.pdf',
    bytes: 1,
    saved: '/out/report.pdf',
  });
});

it('says that a tool made no files', async () => {
  const { stderr } = await runFake(['call', '/p', 't', '--files', '/out']);
  expect(stderr.text).toContain('the tool made no files');
});

it('refuses a directory with files before the tool runs', async () => {
  const { code, calls, stderr } = await runFake(['call', '/p', 't', '--files', '/out'], {
    full: '/out',
  });
  expect(code).toBe(1);
  expect(calls).toEqual([]);
  expect(stderr.text).toContain('--files cannot use /out: it is not empty');
});

it('saves what a real tool made, and replaces nothing', async () => {
  const plugin = makeVellum({
    name: 'maker',
    permissions: { storage: true },
    tools: {
      make: `import fs from 'node:fs'; export default { defaultRiskLevel: 'low', input_schema: { type: 'object' },
        execute: async () => { fs.writeFileSync('/workspace/out.csv', 'a,b'); return { content: '/workspace/out.csv', isError: false }; } };`,
    },
  });
  const [directory, storage] = [makeDirectory(), makeDirectory()];
  const capabilities = systemCapabilities(new AbortController().signal, '1.2.3');
  const [stdout, stderr] = [makeSink(false), makeSink(false)];
  const target = join(directory, 'new', 'out');
  const call = (): Promise<number> =>
    runCli(['call', plugin, 'make', '--files', target], '1.2.3', {
      ...capabilities,
      createEngine: (options) =>
        capabilities.createEngine({ ...options, storageDirectory: storage }),
      stdout,
      stderr,
    });
  expect(await call()).toBe(0);
  expect(readdirSync(target)).toEqual(['out.csv']);
  expect(readFileSync(join(target, 'out.csv'), 'utf8')).toBe('a,b');
  expect(stderr.text).toContain(`/workspace/out.csv -> ${target}/out.csv (3 bytes)`);
  expect(await call()).toBe(1);

  const other = makeDirectory();
  mkdirSync(join(other, 'x'));
  writeFileSync(join(other, 'x', 'kept'), 'kept');
  await expect(
    capabilities.saveNewFile(join(other, 'x', 'kept'), new Blob(['new']).stream()),
  ).rejects.toMatchObject({ code: 'EEXIST' });
  expect(existsSync(join(other, 'x', 'kept'))).toBe(true);
  expect(readFileSync(join(other, 'x', 'kept'), 'utf8')).toBe('kept');
});
