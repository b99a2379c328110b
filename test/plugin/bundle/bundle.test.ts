import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import {
  bundlePlugin as bundleWith,
  makeBundler,
  type StartBundler,
} from '../../../src/plugin/bundle/bundler.js';
import type { Bundle } from '../../../src/plugin/plugin.js';
import type { BundleLimits, BundleSpec } from '../../../src/plugin/bundle/spec.js';
import { makePlugin, runUnderSes } from './fixture.js';

const bundler = makeBundler();
const bundlePlugin = (spec: BundleSpec): Promise<Bundle> => bundleWith(spec, bundler);

describe('bundlePlugin', () => {
  it('returns one function that runs under SES', async () => {
    const directory = makePlugin({ 'index.ts': 'export const run = (): number => 5;' });
    const bundle = await bundlePlugin({ directory, entry: { file: 'index.ts' } });
    expect(bundle.code).toMatch(/^\(function \(\$bulkhead\) \{ 'use strict';/);
    expect(bundle.inputs).toEqual([
      { path: 'index.ts', bytes: 35, hash: expect.stringMatching(/^sha512-/) },
    ]);
    expect(bundle.packages).toEqual([]);
    expect(await runUnderSes(bundle, { call: 'run' })).toMatchObject({ ok: true, value: 5 });
  });

  it('returns the same bundle for the same sources in another directory', async () => {
    const files = {
      'index.ts': 'import "./a"; export const url = import.meta.url;',
      'a.js': 'exports.x = __dirname;',
    };
    const [a, b] = await Promise.all(
      [makePlugin(files), makePlugin(files)].map((directory) =>
        bundlePlugin({ directory, entry: { file: 'index.ts' } }),
      ),
    );
    expect(a).toEqual(b);
  });

  it('throws the errors of the bundler process with their code and details', async () => {
    const directory = makePlugin({ 'bad.ts': '\nlet = ;', 'out.ts': `export * from '../x';` });
    await expect(bundlePlugin({ directory, entry: { file: 'bad.ts' } })).rejects.toMatchObject({
      name: 'BulkheadError',
      code: 'BUNDLE_FAILED',
      details: { problems: [{ file: 'bad.ts', line: 2 }] },
    });
    await expect(bundlePlugin({ directory, entry: { file: 'out.ts' } })).rejects.toMatchObject({
      code: 'OUTSIDE_PLUGIN',
      details: { path: '../x', file: 'out.ts', line: 1, column: 15 },
    });
    await expect(
      bundlePlugin({ directory: `${import.meta.dirname}/not-there`, entry: { file: 'x' } }),
    ).rejects.toMatchObject({ code: 'PLUGIN_NOT_FOUND' });
  });

  it('serves the next plugin after sources that crash esbuild', async () => {
    const deep = `x = ${'('.repeat(1e6)}${')'.repeat(1e6)}`;
    const directory = makePlugin({ 'deep.ts': deep, 'good.ts': 'export default 1;' });
    const bad = bundlePlugin({ directory, entry: { file: 'deep.ts' } });
    const good = bundlePlugin({ directory, entry: { file: 'good.ts' } });
    await expect(bad).rejects.toMatchObject({ code: 'BUNDLE_FAILED' });
    expect((await good).inputs).toHaveLength(1);
  });

  it.each<[Partial<BundleLimits>, string]>([
    [{ deadlineMs: 300 }, 'longer than 300 ms'],
    [{ processorMs: 200 }, 'more than 200 ms of processor time'],
  ])('stops at %j, and serves the next plugin', async (limits, words) => {
    const directory = makePlugin({
      'slow.js': `export default [${'1,'.repeat(2e6)}];`,
      'good.ts': 'export default 1;',
    });
    const bad = bundlePlugin({
      directory,
      entry: { file: 'slow.js' },
      limits,
    });
    const good = bundlePlugin({ directory, entry: { file: 'good.ts' } });
    await expect(bad).rejects.toThrow(words);
    expect((await good).inputs).toHaveLength(1);
  });

  const countStarts = (): { readonly started: ChildProcess[]; readonly start: StartBundler } => {
    const started: ChildProcess[] = [];
    const start: StartBundler = async ({ args }) => {
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        serialization: 'advanced',
      });
      started.push(child);
      return child;
    };
    return { started, start };
  };

  it('bundles two plugins side by side, each in a process of its own', async () => {
    const { started, start } = countStarts();
    const counting = makeBundler({ start, processes: 2 });
    const plugins = ['1', '2', '3'].map((text) => makePlugin({ 'x.js': text, 'y.js': text }));
    const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
      exitCode === null && signalCode === null;
    const [first, second] = plugins
      .slice(0, 2)
      .map((directory) =>
        Promise.all(
          ['x.js', 'y.js'].map((file) => bundleWith({ directory, entry: { file } }, counting)),
        ),
      );
    await vi.waitFor(() => expect(started).toHaveLength(2));
    expect(started.filter(isRunning)).toHaveLength(2);
    await Promise.all([first, second]);
    // The second entry of each had the process of the first one.
    expect(started).toHaveLength(2);
    await bundleWith({ directory: plugins[2] ?? '', entry: { file: 'x.js' } }, counting);
    expect(started).toHaveLength(3);
    await vi.waitFor(() => expect(started.filter(isRunning)).toHaveLength(2));
    for (const child of started) child.kill('SIGKILL');
  });

  it('starts another process for a plugin whose idle process was killed', async () => {
    const { started, start } = countStarts();
    const counting = makeBundler({ start });
    const directory = makePlugin({ 'x.js': '1' });
    await bundleWith({ directory, entry: { file: 'x.js' } }, counting);
    started[0]?.kill('SIGKILL');
    await vi.waitFor(() => expect(started[0]?.signalCode).toBe('SIGKILL'));
    await bundleWith({ directory, entry: { file: 'x.js' } }, counting);
    expect(started).toHaveLength(2);
    started[1]?.kill('SIGKILL');
  });

  it('kills an idle process after idleMs', async () => {
    const { started, start } = countStarts();
    const counting = makeBundler({ start, idleMs: 100 });
    const directory = makePlugin({ 'x.js': '1', 'y.js': '2' });
    await bundleWith({ directory, entry: { file: 'x.js' } }, counting);
    await bundleWith({ directory, entry: { file: 'y.js' } }, counting);
    expect(started).toHaveLength(1);
    await vi.waitFor(() => expect(started[0]?.signalCode).toBe('SIGKILL'));
  });

  it('prepares a process for a plugin once, and reports no error of it', async () => {
    const { started, start } = countStarts();
    const counting = makeBundler({ start });
    const directory = makePlugin({ 'x.js': '1', 'broken.js': 'let = 1' });
    counting.prepare({ directory, entry: { file: 'broken.js' } });
    counting.prepare({ directory, entry: { file: 'x.js' } });
    await bundleWith({ directory, entry: { file: 'x.js' } }, counting);
    counting.prepare({ directory, entry: { file: 'x.js' } });
    await bundleWith({ directory, entry: { file: 'x.js' } }, counting);
    expect(started).toHaveLength(1);
    started[0]?.kill('SIGKILL');
  });

  it('bundles each plugin in a process of its own, and the entries of one plugin in one', async () => {
    const { started, start } = countStarts();
    const counting = makeBundler({ start, processes: 1 });
    const [a, b] = [makePlugin({ 'x.js': '1', 'y.js': '2' }), makePlugin({ 'x.js': '3' })];
    await bundleWith({ directory: a, entry: { file: 'x.js' } }, counting);
    await bundleWith({ directory: a, entry: { file: 'y.js' } }, counting);
    expect(started).toHaveLength(1);
    await bundleWith({ directory: b, entry: { file: 'x.js' } }, counting);
    expect(started).toHaveLength(2);
    await vi.waitFor(() => expect(started[0]?.signalCode).toBe('SIGKILL'));
    // Another directory at the same path is another one.
    rmSync(b, { recursive: true });
    cpSync(a, b, { recursive: true });
    await bundleWith({ directory: b, entry: { file: 'y.js' } }, counting);
    expect(started).toHaveLength(3);
    started[2]?.kill('SIGKILL');
  });

  it.each([
    ['process.exit(70)', 'exited with code 70', 'bulkhead doctor'],
    ["process.kill(process.pid, 'SIGABRT')", 'out of memory or stack', 'smaller'],
  ])('says of a process that ends with %s what to look at', async (code, why, remedy) => {
    const ending = makeBundler({
      start: async () =>
        spawn(process.execPath, ['-e', `process.on('message', () => { ${code} })`], {
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
        }),
    });
    const directory = makePlugin({ 'x.js': '1' });
    await expect(bundleWith({ directory, entry: { file: 'x.js' } }, ending)).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringContaining(why),
      details: { problems: [{ remedy: expect.stringContaining(remedy) }] },
    });
  });
});
