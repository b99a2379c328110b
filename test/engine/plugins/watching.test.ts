import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { isIgnored, watchPlugins } from '../../../src/engine/plugins/watching.js';
import { makeDirectory, makePlugin, startEngine } from '../plugin-on-disk.js';

const says = (word: string) => ({ tools: { say: `async () => "${word}"` } });

/** Waits for what a watched engine comes to; it fails where that takes as long as the test may. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function said(engine: Engine, name: string): Promise<unknown> {
  return engine.call(name, {}).then(
    ({ value }) => value,
    () => undefined,
  );
}

describe('an engine that watches its plugins', () => {
  it('applies changed, added and removed plugins', async () => {
    const root = makeDirectory();
    for (const id of ['a', 'b']) {
      mkdirSync(join(root, id));
      makePlugin({ id, ...says('one') }, join(root, id));
    }
    const loaded: string[] = [];
    const failed: object[] = [];
    const engine = await startEngine([`${root}/*`], {
      watch: true,
      onEvent: (event) => {
        if (event.type === 'plugin-loaded') loaded.push(event.plugin);
        if (event.type === 'reload-failed') failed.push(event);
      },
    });
    expect([await said(engine, 'a:say'), await said(engine, 'b:say')]).toEqual(['one', 'one']);
    makePlugin({ id: 'a', ...says('two') }, join(root, 'a'));
    await until(async () => (await said(engine, 'a:say')) === 'two');

    mkdirSync(join(root, 'c'));
    makePlugin({ id: 'c', ...says('three') }, join(root, 'c'));
    await until(async () => (await said(engine, 'c:say')) === 'three');
    rmSync(join(root, 'c'), { recursive: true });
    await until(() => engine.plugins().length === 2);

    writeFileSync(join(root, 'a/index.ts'), 'export const tools = [');
    await until(() => engine.plugins().some(({ problems }) => problems.length > 0));
    await until(() => failed.length > 0);
    expect(failed).toMatchObject([{ plugin: 'a', code: 'BUNDLE_FAILED' }]);
    expect(await said(engine, 'a:say')).toBe('two');
    // The plugin without a changed file was loaded once.
    expect(loaded.filter((plugin) => plugin === 'b')).toHaveLength(1);
  });

  it('reads many changes at once, and reads none after it is closed', async () => {
    let change = (): void => {};
    let reads = 0;
    const failures: unknown[] = [];
    const watching = watchPlugins({
      paths: ['/plugins/*', '/plugins/a'],
      watch: (roots, _, onChange) => {
        expect(roots).toEqual(['/plugins', '/plugins/a']);
        change = onChange;
        return { ready: Promise.resolve(), close: () => Promise.resolve() };
      },
      reload: () => {
        reads += 1;
        return reads === 1 ? Promise.reject(new Error('not readable')) : Promise.resolve();
      },
      onFailed: (error) => failures.push(error),
    });
    await watching.start();
    for (let n = 0; n < 10; n += 1) change();
    await until(() => reads > 0);
    expect(reads).toBe(1);
    await until(() => failures.length > 0);
    expect(failures).toMatchObject([{ message: 'not readable' }]);
    change();
    await watching.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(reads).toBe(1);
  });

  it('ignores changes of packages, data and hidden files, except the one that disables a plugin', () => {
    const roots = ['/home/.config/plugins'];
    const ignored = (path: string): boolean => isIgnored(`/home/.config/plugins/${path}`, roots);
    expect(
      [
        'p/tools/a.ts',
        'p/.disabled',
        'p/package.json',
        '',
        'p/node_modules/x/i.js',
        'p/data/x',
        'p/.git/HEAD',
      ].map(ignored),
    ).toEqual([false, false, false, false, true, true, true]);
  });
});
