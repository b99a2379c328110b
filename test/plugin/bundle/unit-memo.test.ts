import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasUnits, readUnits } from '../../../sandbox/wire/units.js';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import {
  type FileSnapshot,
  openPluginFiles,
  type PluginFiles,
} from '../../../src/plugin/bundle/files.js';
import { BUNDLE_LIMITS } from '../../../src/plugin/bundle/spec.js';
import type { LinkedUnit } from '../../../src/plugin/bundle/units/linked-unit.js';
import { prepareMap } from '../../../src/plugin/bundle/units/merge-maps.js';
import { makeUnitMemo } from '../../../src/plugin/bundle/units/unit-memo.js';
import { makePlugin } from './fixture.js';

const FILES = {
  'index.js': `import { left } from 'a';\nexport const tools = [left()];\n`,
  'node_modules/a/package.json': '{ "main": "main" }',
  'node_modules/a/main/index.js': `exports.left = () => require('b');\n`,
  'node_modules/a/node_modules/b/index.js': `module.exports = 'inner b';\n`,
  'node_modules/b/index.js': `module.exports = 'outer b';\n`,
};

async function build(directory: string): Promise<string> {
  const { bundle } = await buildBundle({
    directory,
    entry: { file: 'index.js' },
    separate: 'installed',
  });
  return bundle.code;
}

describe('a bundle for an author', () => {
  it('has one unit for all npm packages, also inner ones', async () => {
    const code = await build(makePlugin(FILES));
    expect(readUnits(code).map(({ path, imports }) => [path, imports])).toEqual([
      ['.', ['node_modules']],
      ['node_modules', []],
    ]);
    expect(code).toContain('inner b');
  });

  it('is one text if a package awaits and its files cannot wait for it', async () => {
    const code = await build(
      makePlugin({
        'index.js': `import { now } from 'waits'; import old from 'waits/old.cjs'; export const tools = [now, old];`,
        'node_modules/waits/index.mjs': 'export const now = await 1;',
        'node_modules/waits/package.json': '{ "main": "index.mjs" }',
        'node_modules/waits/old.cjs': `exports.again = () => import('./index.mjs');`,
      }),
    );
    expect(hasUnits(code)).toBe(false);
  });

  it('has what changed in a file, or in what its name leads to', async () => {
    const directory = makePlugin(FILES);
    await build(directory);
    writeFileSync(join(directory, 'index.js'), `import 'a'; export const tools = ['changed'];`);
    expect(await build(directory)).toContain(`'changed'`.replaceAll("'", '"'));
    writeFileSync(
      join(directory, 'node_modules/a/node_modules/b/index.js'),
      `module.exports = 'new b';`,
    );
    expect(await build(directory)).toContain('new b');
    rmSync(join(directory, 'node_modules/a/node_modules'), { recursive: true });
    expect(await build(directory)).toContain('outer b');
    writeFileSync(join(directory, 'node_modules/a/main.js'), `module.exports = 'nearer';`);
    expect(await build(directory)).toContain('nearer');
  });

  it('names a broken file each time', async () => {
    const directory = makePlugin(FILES);
    await build(directory);
    writeFileSync(join(directory, 'node_modules/b/index.js'), 'let = 1');
    rmSync(join(directory, 'node_modules/a/node_modules'), { recursive: true });
    for (const _ of [1, 2]) {
      await expect(build(directory)).rejects.toMatchObject({ code: 'BUNDLE_FAILED' });
    }
  });
});

const UNIT: LinkedUnit = {
  built: {
    code: '',
    sourceMap: '',
    assignedGlobals: [],
    inputs: [],
    warnings: [],
    isAsync: false,
    linkUses: new Map(),
  },
  height: 1,
  map: prepareMap('{"sources":[],"mappings":""}'),
  links: [],
  effective: [],
  traits: {},
};

describe('the memo of units', () => {
  it('builds a unit again only if what it read or looked up is different', async () => {
    const directory = makePlugin({ 'a.js': '1', 'b.js': '2' });
    const memo = makeUnitMemo();
    let builds = 0;
    const open = (): PluginFiles => openPluginFiles(directory, BUNDLE_LIMITS);
    const run = async (files = open(), key = 'key'): Promise<PluginFiles> => {
      await memo.build(key, files, async (seen) => {
        builds += 1;
        seen.read('a.js');
        seen.locate('absent.js');
        return UNIT;
      });
      return files;
    };
    await run();
    const { evidence } = await run();
    // The new bundle depends on the same files.
    expect(Object.keys(evidence.files)).toEqual(['a.js']);
    expect(Object.keys(evidence.lookups)).toEqual(['a.js', 'absent.js'].slice(1));
    writeFileSync(join(directory, 'b.js'), '3');
    await run();
    expect(builds).toBe(1);
    await run(open(), 'another key');
    expect(builds).toBe(2);
    writeFileSync(join(directory, 'a.js'), '4');
    await run();
    expect(builds).toBe(3);
    writeFileSync(join(directory, 'absent.js'), '');
    await run();
    expect(builds).toBe(4);
  });

  it('does not trust the stamp of a file that had just changed when it was read', async () => {
    const directory = makePlugin({ 'a.js': '1' });
    const memo = makeUnitMemo();
    let builds = 0;
    let found = '';
    for (const text of ['1', '2', '3', '3']) {
      writeFileSync(join(directory, 'a.js'), text);
      await memo.build('key', openPluginFiles(directory, BUNDLE_LIMITS), async (seen) => {
        builds += 1;
        found = seen.read('a.js');
        return UNIT;
      });
      expect(found).toBe(text);
    }
    expect(builds).toBe(3);
  });

  it('does not read a file again whose stamp is the same', async () => {
    const directory = makePlugin({ 'a.js': '1' });
    const file = join(directory, 'a.js');
    await new Promise((resolve) => setTimeout(resolve, 60));
    const first = openPluginFiles(directory, BUNDLE_LIMITS);
    first.read('a.js');
    const former = first.snapshotOf('a.js');
    if (former === undefined) throw new Error('not read');
    const isSame = (snapshot: FileSnapshot): boolean =>
      openPluginFiles(directory, BUNDLE_LIMITS).isSame(snapshot);
    // With another text, so that a file that is read counts as changed.
    expect(isSame({ ...former, text: '2' })).toBe(true);
    expect(isSame({ ...former, text: '2', isSettled: false })).toBe(false);
    writeFileSync(file, '1');
    expect(isSame(former)).toBe(true);
    expect(isSame({ ...former, text: '2' })).toBe(false);
    rmSync(file);
    expect(() => isSame(former)).toThrow('a.js');
  });
});
