import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { MAIN } from './spawned.js';
import { makeScratch } from '../run-directory.js';

/** The files that a program loads, except Node's own: modules, and those of `require`. */
function loadedBy(code: string): readonly string[] {
  const hook = `import { writeSync } from 'node:fs';
    export const load = (url, context, next) => { writeSync(2, url + '\\n'); return next(url, context); };`;
  const register = `import { createRequire, register } from 'node:module';
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
    process.once('exit', () => {
      for (const file of Object.keys(createRequire('/').cache)) console.error('file:' + file);
    });
    ${code}`;
  const args = ['--input-type=module', '-e', register];
  const { stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return stderr.split('\n').filter((line) => line.startsWith('file:'));
}

const packagesIn = (files: readonly string[]): readonly string[] =>
  [
    ...new Set(files.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])),
  ].toSorted();

describe('the start of a process', () => {
  it('loads few files and none of the large packages with the main entry point', () => {
    const files = loadedBy(`await import('bulkhead')`);
    expect(files.length).toBeGreaterThan(1);
    // The entry point, the way to the first file of code, that file, and the packages.
    expect(files.length).toBeLessThan(8);
    expect(packagesIn(files)).toEqual(['fastest-levenshtein']);
    expect(files.filter((file) => file.endsWith('/engine.cjs'))).toEqual([]);
  });

  it('loads the engine when the first one is created', () => {
    const files = loadedBy(`const { createEngine } = await import('bulkhead');
      await (await createEngine({ plugins: [] })).close();`);
    expect(files.filter((file) => file.endsWith('/engine.cjs'))).toHaveLength(1);
  });

  it('loads one file of ours to print the version', () => {
    const files = loadedBy(`process.argv[2] = '--version'; await import(${JSON.stringify(MAIN)})`);
    const names = files.map((file) => file.slice(file.lastIndexOf('/')));
    expect([...new Set(names)]).toEqual(['/main.cjs']);
  });

  it('has the same error class in all entry points', () => {
    const code = `import { isBulkheadError, BulkheadError } from 'bulkhead';
      import { openLockfile } from 'bulkhead/lock';
      try { openLockfile(process.argv[1], {}).read(); } catch (error) {
        console.log(error instanceof BulkheadError, isBulkheadError(error)); }`;
    const lock = join(makeScratch('start'), 'bulkhead.lock.json');
    writeFileSync(lock, '{"version":1}');
    const args = ['--input-type=module', '-e', code, lock];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
    expect(`${stdout}${stderr}`).toBe('true true\n');
  });

  it.each([
    ['Node.js 18', { node: '18.20.0' }, 'Bulkhead needs Node.js >=20.19, and this is 18.20.0.'],
    ['Node.js 20.18', { node: '20.18.3' }, 'Bulkhead needs Node.js >=20.19, and this is 20.18.3.'],
    ['Bun', { node: '24.3.0', bun: '1.3.0' }, 'and this is Bun.'],
    ['Deno', { node: '24.3.0', deno: '2.5.0' }, 'and this is Deno.'],
  ])('is refused by %s with one line', (_name, versions, line) => {
    const preload = join(makeScratch('start'), 'versions.cjs');
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} });`,
    );
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--require', preload, MAIN, 'tools'],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
