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
  stored: string;
  spec: BundleSpec;
  builds: () => number;
  /** Directories that the bundler was prepared for. */
  prepared: readonly string[];
  open: (prepares?: boolean) => BundleCache;
} {
  const plugin = makePlugin(files);
  const stored = join(makePlugin({}), 'cache');
  let count = 0;
  const prepared: string[] = [];
  return {
    plugin,
    stored,
    spec: { directory: plugin, entry: { file: 'index.ts' } },
    builds: () => count,
    prepared,
    open: (prepares = false) =>
      makeBundleCache({
        directory: stored,
        bundler: {
          build: (spec) => {
            count += 1;
            return buildBundle(spec);
          },
          prepare: ({ directory }) => void prepared.push(directory),
        },
        prepares,
      }),
  };
}

describe('the bundle cache', () => {
  it('builds unchanged sources once, even if the process restarts', async () => {
    const { spec, builds, open } = setUp();
    const first = await open().bundle(spec);
    const { code, sourceMap, ...known } = first;
    const stored = await open().bundle(spec);
    expect(stored).toMatchObject(known);
    expect([stored.code, stored.sourceMap]).toEqual([code, sourceMap]);
    expect(builds()).toBe(1);
  });

  it('builds once for two simultaneous calls', async () => {
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
  ])('builds again after a change: %s', async (_, change) => {
    const { plugin, spec, builds, open } = setUp();
    utimesSync(join(plugin, 'a.js'), 1000, 1000);
    const before = await open().bundle(spec);
    change(plugin);
    const after = await open().bundle(spec);
    expect(builds()).toBe(2);
    expect(after.hash).not.toBe(before.hash);
  });

  it('does not build again after a change of an unrelated file', async () => {
    const { plugin, spec, builds, open } = setUp();
    await open().bundle(spec);
    mkdirSync(join(plugin, 'data'));
    writeFileSync(join(plugin, 'data/log.txt'), 'x');
    await open().bundle(spec);
    expect(builds()).toBe(1);
  });

  it('builds separately for different options', async () => {
    const { spec, builds, open } = setUp();
    const cache = open();
    await cache.bundle(spec);
    await cache.bundle({ ...spec, virtualModules: ['dep'] });
    await cache.bundle({ ...spec, entry: { source: 'export {}' } });
    await cache.bundle({ ...spec, builtins: 'real' });
    expect(builds()).toBe(4);
  });

  it.each<[string, (text: string) => string]>([
    ['changed code', (text) => text.replace('a = 1', 'a = 666')],
    ['half an entry', (text) => text.slice(0, text.length / 2)],
    ['an empty file', () => ''],
    ['a file of another form', () => 'sha512-x\n{}'],
  ])('does not use %s', async (_, spoil) => {
    const { stored, spec, builds, open } = setUp();
    const first = await open().bundle(spec);
    let spoilt = 0;
    for (const name of readdirSync(stored)) {
      const text = readFileSync(join(stored, name), 'utf8');
      if (spoil(text) === text) continue;
      writeFileSync(join(stored, name), spoil(text));
      spoilt += 1;
      expect(await open().bundle(spec)).toEqual(first);
      expect(builds()).toBe(1 + spoilt);
    }
    expect(spoilt).toBeGreaterThan(0);
    await open().bundle(spec);
    expect(builds()).toBe(1 + spoilt);
  });

  it('throws if the code was changed after the bundle was returned', async () => {
    const { stored, spec, open } = setUp();
    await open().bundle(spec);
    const found = await open().bundle(spec);
    const [texts = ''] = readdirSync(stored).filter((name) => name.endsWith('.texts.json'));
    const text = readFileSync(join(stored, texts), 'utf8');
    writeFileSync(join(stored, texts), text.replace('a = 1', 'a = 666'));
    expect(() => found.code).toThrow(/engine\.reload\(\)/);
    rmSync(join(stored, texts));
    expect(() => found.code).toThrow(/was removed or changed/);
  });

  it('leaves no temporary files, and writes files that only their owner can read', async () => {
    const { stored, spec, open } = setUp();
    await open().bundle(spec);
    expect(readdirSync(stored)).toHaveLength(2);
    for (const name of readdirSync(stored)) {
      expect(statSync(join(stored, name)).mode & 0o077).toBe(0);
    }
  });

  it('prepares the bundler for a plugin that its author changes, if its bundle is stored', async () => {
    const { spec, plugin, builds, prepared, open } = setUp();
    await open().bundle(spec);
    expect(prepared).toEqual([]);
    await open(true).bundle(spec);
    await open().bundle(spec);
    expect(prepared).toEqual([plugin]);
    expect(builds()).toBe(1);
    // What was built and is still being stored is not built again, unless a source changes.
    const cache = open(true);
    writeFileSync(join(plugin, 'a.js'), 'export const a = 3;');
    await cache.bundle(spec);
    await cache.bundle(spec);
    expect(builds()).toBe(2);
    writeFileSync(join(plugin, 'a.js'), 'export const a = 4;');
    expect((await cache.bundle(spec)).code).toContain('a = 4');
    expect(builds()).toBe(3);
    // What is not stored yet is stored when the engine closes, and nothing is written later.
    await cache.close();
    expect((await open().bundle(spec)).code).toContain('a = 4');
    expect(builds()).toBe(3);
    // A build that was under way is not stored any more.
    writeFileSync(join(plugin, 'a.js'), 'export const a = 5;');
    for (const closed of [cache, open()]) {
      await closed.close();
      expect((await closed.bundle(spec)).code).toContain('a = 5');
    }
    await open().bundle(spec);
    expect(builds()).toBe(6);
  });

  it('returns bundles if its directory is not writable', async () => {
    const plugin = makePlugin({ ...files, occupied: '' });
    const cache = makeBundleCache({
      directory: join(plugin, 'occupied/cache'),
      bundler: { build: buildBundle, prepare: () => {} },
    });
    const bundle = await cache.bundle({ directory: plugin, entry: { file: 'index.ts' } });
    expect(bundle.code).toContain('function');
  });

  it('throws a build error, and builds again on the next call', async () => {
    const { plugin, spec, builds, open } = setUp();
    writeFileSync(join(plugin, 'a.js'), 'let = 1');
    const cache = open();
    await expect(cache.bundle(spec)).rejects.toMatchObject({ code: 'BUNDLE_FAILED' });
    writeFileSync(join(plugin, 'a.js'), 'export const a = 1;');
    await cache.bundle(spec);
    expect(builds()).toBe(2);
  });
});
