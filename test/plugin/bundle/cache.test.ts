import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { makeBundleCache, type BundleCache } from '../../../src/plugin/bundle/cache.js';
import type { BundleSpec } from '../../../src/plugin/bundle/spec.js';
import { makePlugin } from './fixture.js';

const files = {
  'index.ts': `import { a } from './a'; import dep from 'dep'; export default [a, dep];`,
  'a.js': 'export const a = 1;',
  'node_modules/dep/package.json': '{ "main": "main.js" }',
  'node_modules/dep/main.js': 'module.exports = 1;',
  'node_modules/dep/other.js': 'module.exports = 2;',
};

/** A plugin, and a cache that counts how often it builds. */
function setUp(): {
  plugin: string;
  kept: string;
  spec: BundleSpec;
  builds: () => number;
  open: () => BundleCache;
} {
  const plugin = makePlugin(files);
  const kept = join(makePlugin({}), 'cache');
  let count = 0;
  return {
    plugin,
    kept,
    spec: { directory: plugin, entry: { file: 'index.ts' } },
    builds: () => count,
    open: () =>
      makeBundleCache({
        directory: kept,
        build: (spec) => {
          count += 1;
          return buildBundle(spec);
        },
      }),
  };
}

describe('a cache of bundles', () => {
  it('builds once what does not change, also for a process that starts later', async () => {
    const { spec, builds, open } = setUp();
    const first = await open().bundle(spec);
    const { code, sourceMap, ...known } = first;
    const kept = await open().bundle(spec);
    expect(kept).toMatchObject(known);
    expect([kept.code, kept.sourceMap]).toEqual([code, sourceMap]);
    expect(builds()).toBe(1);
  });

  it('builds once for two who ask at the same time', async () => {
    const { spec, builds, open } = setUp();
    const cache = open();
    await Promise.all([cache.bundle(spec), cache.bundle(spec)]);
    expect(builds()).toBe(1);
  });

  it.each<[string, (plugin: string) => void]>([
    ['a source', (plugin) => writeFileSync(join(plugin, 'a.js'), 'export const a = 2;')],
    [
      'a package.json',
      (plugin) =>
        writeFileSync(join(plugin, 'node_modules/dep/package.json'), '{ "main": "other.js" }'),
    ],
    [
      'a file that would have been preferred',
      (plugin) => writeFileSync(join(plugin, 'a.ts'), 'export const a = 3;'),
    ],
    [
      'a package nearer by',
      (plugin) => {
        mkdirSync(join(plugin, 'node_modules/dep/node_modules'), { recursive: true });
        rmSync(join(plugin, 'node_modules/dep/main.js'));
        writeFileSync(join(plugin, 'node_modules/dep/main.ts'), 'module.exports = 4;');
      },
    ],
    [
      'a link in place of a directory',
      (plugin) => {
        rmSync(join(plugin, 'node_modules/dep'), { recursive: true });
        mkdirSync(join(plugin, 'elsewhere'));
        writeFileSync(join(plugin, 'elsewhere/index.js'), 'module.exports = 5;');
        symlinkSync('../elsewhere', join(plugin, 'node_modules/dep'));
      },
    ],
    [
      'a file of the same length and the same time',
      (plugin) => {
        const path = join(plugin, 'a.js');
        writeFileSync(path, 'export const a = 9;');
        utimesSync(path, 1000, 1000);
      },
    ],
  ])('builds again when there is another %s', async (_, change) => {
    const { plugin, spec, builds, open } = setUp();
    utimesSync(join(plugin, 'a.js'), 1000, 1000);
    const before = await open().bundle(spec);
    change(plugin);
    const after = await open().bundle(spec);
    expect(builds()).toBe(2);
    expect(after.hash).not.toBe(before.hash);
  });

  it('does not build again for a file that has nothing to do with it', async () => {
    const { plugin, spec, builds, open } = setUp();
    await open().bundle(spec);
    mkdirSync(join(plugin, 'data'));
    writeFileSync(join(plugin, 'data/log.txt'), 'x');
    await open().bundle(spec);
    expect(builds()).toBe(1);
  });

  it('keeps apart what is asked for differently', async () => {
    const { spec, builds, open } = setUp();
    const cache = open();
    await cache.bundle(spec);
    await cache.bundle({ ...spec, virtualModules: ['dep'] });
    await cache.bundle({ ...spec, entry: { source: 'export {}' } });
    await cache.bundle({ ...spec, builtins: 'real' });
    expect(builds()).toBe(4);
  });

  it.each<[string, (text: string) => string]>([
    ['code that was changed', (text) => text.replace('a = 1', 'a = 666')],
    ['half an entry', (text) => text.slice(0, text.length / 2)],
    ['nothing', () => ''],
    ['something else', () => 'sha512-x\n{}'],
  ])('does not trust %s', async (_, spoil) => {
    const { kept, spec, builds, open } = setUp();
    const first = await open().bundle(spec);
    let spoilt = 0;
    for (const name of readdirSync(kept)) {
      const text = readFileSync(join(kept, name), 'utf8');
      if (spoil(text) === text) continue;
      writeFileSync(join(kept, name), spoil(text));
      spoilt += 1;
      expect(await open().bundle(spec)).toEqual(first);
      expect(builds()).toBe(1 + spoilt);
    }
    expect(spoilt).toBeGreaterThan(0);
    await open().bundle(spec);
    expect(builds()).toBe(1 + spoilt);
  });

  it('hands out no code that was changed after it was found whole', async () => {
    const { kept, spec, open } = setUp();
    await open().bundle(spec);
    const found = await open().bundle(spec);
    const [texts = ''] = readdirSync(kept).filter((name) => name.endsWith('.texts.json'));
    const text = readFileSync(join(kept, texts), 'utf8');
    writeFileSync(join(kept, texts), text.replace('a = 1', 'a = 666'));
    expect(() => found.code).toThrow(/engine\.reload\(\)/);
    rmSync(join(kept, texts));
    expect(() => found.code).toThrow(/is gone or was changed/);
  });

  it('leaves nothing half-written behind, and lets only its owner read', async () => {
    const { kept, spec, open } = setUp();
    await open().bundle(spec);
    expect(readdirSync(kept)).toHaveLength(2);
    for (const name of readdirSync(kept)) {
      expect(statSync(join(kept, name)).mode & 0o077).toBe(0);
    }
  });

  it('does without where it cannot write', async () => {
    const plugin = makePlugin({ ...files, occupied: '' });
    const cache = makeBundleCache({
      directory: join(plugin, 'occupied/cache'),
      build: buildBundle,
    });
    const bundle = await cache.bundle({ directory: plugin, entry: { file: 'index.ts' } });
    expect(bundle.code).toContain('function');
  });

  it('passes on what went wrong, and tries again', async () => {
    const { plugin, spec, builds, open } = setUp();
    writeFileSync(join(plugin, 'a.js'), 'let = 1');
    const cache = open();
    await expect(cache.bundle(spec)).rejects.toMatchObject({ code: 'BUNDLE_FAILED' });
    writeFileSync(join(plugin, 'a.js'), 'export const a = 1;');
    await cache.bundle(spec);
    expect(builds()).toBe(2);
  });
});
