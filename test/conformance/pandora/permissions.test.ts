/**
 * What a Pandora plugin's author relies on, run end to end: manifest, bundle, guest, brokers, result.
 * Each title begins with its row in the acceptance table of Pandora's contract; rows about reading
 * manifests and configuration alone (S, D, V, N, T1–T3) are tested in `test/formats/pandora`.
 */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, makePlugin, runTool, startEngine } from '../../engine/plugin-on-disk.js';
import { caught } from './caught.js';

describe('permissions', () => {
  it('P-P1, P-M4: time gives Date.now and Intl.DateTimeFormat', async () => {
    const result = await runTool(
      '() => [typeof Date.now(), new Intl.DateTimeFormat("en", { timeZone: "UTC" }).format(new Date(0))]',
      { permissions: { time: true } },
    );
    expect(result.value).toEqual(['number', '1/1/1970']);
  });

  it('P-P2: without time, Date.now is denied with its remedy and Intl is absent', async () => {
    const denied = await runTool('() => Date.now()');
    expect(denied).toMatchObject({ code: 'TIME_DENIED' });
    expect(denied.content[0]?.text).toMatch(/sample.*"time".*pandora\.manifest\.json/s);
    expect((await runTool('() => typeof Intl')).value).toBe('undefined');
  });

  it('P-P3: random opens Math.random and nothing else changes in Math', async () => {
    const use = '() => [typeof Math.random(), Math.floor(1.5), Math.max(1, 2)]';
    const granted = await runTool(use, { permissions: { random: true } });
    expect(granted.value).toEqual(['number', 1, 2]);
    expect((await runTool(use)).code).toBe('RANDOM_DENIED');
    expect((await runTool('() => Math.floor(1.5)')).value).toBe(1);
  });

  it('P-P4, P-M5, P-B3: env has the declared keys as they were at load, and only those', async () => {
    const use =
      '(input, context) => [env.get("KEY"), context.env.KEY, env.get("OTHER") ?? null, context.env.OTHER ?? null]';
    const options = { env: { KEY: 'k', OTHER: 'o' } };
    const granted = await runTool(use, { permissions: { env: ['KEY'] } }, options);
    expect(granted.value).toEqual(['k', 'k', null, null]);
    for (const permissions of [{ env: [] }, {}]) {
      const without = await runTool(
        '(i, { env: e }) => [typeof env, Object.keys(e)]',
        { permissions },
        options,
      );
      expect(without.value).toEqual(['undefined', []]);
    }
  });

  it('P-P5: readFile reads below declared prefixes, and nowhere else', async () => {
    const directory = makeDirectory();
    const files = {
      'data/a.txt': 'inside',
      'data-secrets/b.txt': 'beside',
      'top.txt': 'above',
    };
    makePlugin(
      { permissions: { fs: ['data'] }, files, tools: { run: caught('readFile("data/a.txt")') } },
      directory,
    );
    symlinkSync(join(directory, 'top.txt'), join(directory, 'data/link.txt'));
    const attempt = async (path: string): Promise<unknown> => {
      makePlugin(
        {
          permissions: { fs: ['data'] },
          tools: { run: caught(`readFile(${JSON.stringify(path)})`) },
        },
        directory,
      );
      return (await (await startEngine([directory])).call('run', {})).value;
    };
    expect(await attempt('data/a.txt')).toBe('inside');
    for (const path of [
      'top.txt',
      'data/../top.txt',
      'data-secrets/b.txt',
      'data/link.txt',
      '/etc/passwd',
    ]) {
      expect(await attempt(path)).toMatch(/^threw Filesystem denied/);
    }
    expect((await runTool('() => typeof readFile', { permissions: { fs: [] } })).value).toBe(
      'undefined',
    );
  });

  it('P-P8: what is endowed is frozen', async () => {
    const result = await runTool(
      '() => [fetch, env, Math, readFile, console].map(Object.isFrozen)',
      {
        permissions: { network: ['example.com'], env: ['A'], random: true, fs: ['.'] },
      },
    );
    expect(result.value).toEqual([true, true, true, true, true]);
  });
});
