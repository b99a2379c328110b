import { describe, expect, it } from 'vitest';
import { makePlugin, runFiles } from './fixture.js';
import { buildBundle } from '../../../src/plugin/bundle/build.js';

/** The default export that `./index.ts` gets from that specifier. */
async function importing(
  specifier: string,
  files: Readonly<Record<string, string>>,
): Promise<unknown> {
  return runFiles({
    ...files,
    'index.ts': `import found from ${JSON.stringify(specifier)}; export const run = () => found;`,
  });
}

const say = (what: string): string => `export default ${JSON.stringify(what)};`;

describe('a relative import', () => {
  it.each([
    ['./a', 'a.ts'],
    ['./a', 'a.tsx'],
    ['./a', 'a.mts'],
    ['./a', 'a.js'],
    ['./a', 'a.cjs'],
    ['./a', 'a/index.ts'],
    ['./a/', 'a/index.js'],
    ['./a.js', 'a.ts'],
    ['./a.js', 'a.tsx'],
    ['./a.mjs', 'a.mts'],
    ['./a.cjs', 'a.cts'],
    ['./a.jsx', 'a.tsx'],
    ['./a.b', 'a.b.ts'],
    ['./x/../a', 'a.ts'],
  ])('of %s finds %s', async (specifier, file) => {
    expect(await importing(specifier, { [file]: say(file) })).toBe(file);
  });

  it.each([
    ['./a', ['a.ts', 'a.js', 'a/index.ts'], 'a.ts'],
    ['./a.js', ['a.js', 'a.ts'], 'a.js'],
    ['./a', ['a/index.ts', 'a.json'], 'a.json'],
  ])('of %s among %j prefers %s', async (specifier, files, chosen) => {
    const contents = files.map((file) => [file, file.endsWith('json') ? `"${file}"` : say(file)]);
    expect(await importing(specifier, Object.fromEntries(contents))).toBe(chosen);
  });

  it('of a directory follows its package.json', async () => {
    const files = { 'a/package.json': '{ "main": "./lib/main" }', 'a/lib/main.ts': say('main') };
    expect(await importing('./a', files)).toBe('main');
  });
});

describe('a package', () => {
  it.each([
    ['main', '{ "main": "lib" }', { 'lib/index.js': say('index') }, 'index'],
    [
      'module before main',
      '{ "main": "a.js", "module": "b.js" }',
      { 'a.js': say('a'), 'b.js': say('b') },
      'b',
    ],
    [
      'its index if the main is missing',
      '{ "main": "gone.js" }',
      { 'index.js': say('index') },
      'index',
    ],
    [
      'a browser file',
      '{ "main": "a.js", "browser": "b.js" }',
      { 'a.js': say('a'), 'b.js': say('b') },
      'b',
    ],
    [
      'its file for Node if the browser file needs a DOM',
      '{ "main": "a.js", "browser": "b.js" }',
      { 'a.js': say('a'), 'b.js': 'document.createElement("p")' },
      'a',
    ],
    [
      'its file for Node if the browser file keeps the document',
      '{ "exports": { "browser": "./b.js", "node": "./n.js", "default": "./b.js" } }',
      { 'n.js': say('n'), 'b.js': 'const d=document,t=d.body;export const found="b";' },
      'n',
    ],
    [
      'exports',
      '{ "exports": "./x.js", "main": "a.js" }',
      { 'a.js': say('a'), 'x.js': say('x') },
      'x',
    ],
    [
      'exports by condition',
      '{ "exports": { ".": { "node": "./n.js", "worker": "./w.js", "default": "./d.js" } } }',
      { 'n.js': say('n'), 'w.js': say('w'), 'd.js': say('d') },
      'w',
    ],
    [
      'exports for Node alone',
      '{ "exports": { "node": { "import": "./n.js" } } }',
      { 'n.js': say('n') },
      'n',
    ],
    [
      'exports in nested conditions',
      '{ "exports": { ".": { "require": "./r.cjs", "import": { "types": "./t.d.ts", "default": "./i.js" } } } }',
      { 'i.js': say('i'), 'r.cjs': 'module.exports = "r"' },
      'i',
    ],
    ['a list of exports', '{ "exports": ["not-a-path", "./x.js"] }', { 'x.js': say('x') }, 'x'],
    ['no package.json', undefined, { 'index.js': say('index') }, 'index'],
    ['a package.json that is not JSON', '{', { 'index.js': say('index') }, 'index'],
  ])('is found by %s', async (_, json, files, found) => {
    const own = Object.entries(files).map(([file, text]) => [`node_modules/dep/${file}`, text]);
    expect(
      await importing('dep', {
        ...Object.fromEntries(own),
        ...(json === undefined ? {} : { 'node_modules/dep/package.json': json }),
      }),
    ).toBe(found);
  });

  const exported = (map: object, ...files: string[]): Record<string, string> => ({
    'node_modules/dep/package.json': JSON.stringify({ name: 'dep', exports: map }),
    ...Object.fromEntries(files.map((file) => [`node_modules/dep/${file}`, say(file)])),
  });

  it.each([
    ['dep/a', { './a': './lib/a.js' }, 'lib/a.js'],
    ['dep/x/y', { './*': './lib/*.js' }, 'lib/x/y.js'],
    ['dep/a.js', { './*.js': './src/*.js', './*': './lib/*.js' }, 'src/a.js'],
    ['dep/in/a', { './*': './no/*.js', './in/*': './lib/*.js' }, 'lib/a.js'],
    ['dep/old/a.js', { './old/': './lib/' }, 'lib/a.js'],
  ])('exports %s by %j', async (specifier, map, file) => {
    expect(await importing(specifier, exported(map, file))).toBe(file);
  });

  it.each([
    ['dep/hidden', { '.': './index.js' }],
    ['dep/private/a', { './*': './lib/*.js', './private/*': null }],
    ['dep', { '.': '../../secret.js' }],
    ['dep', { '.': './../../secret.js' }],
    ['dep', { '.': '/etc/passwd' }],
    ['dep', { '.': './node_modules/other/index.js' }],
    ['dep/x', { './*': './lib/*/../../../secret.js' }],
  ])('does not export %s by %j', async (specifier, map) => {
    const files = { ...exported(map, 'index.js', 'lib/private/a.js'), 'secret.js': say('secret') };
    await expect(importing(specifier, files)).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringContaining('does not export'),
    });
  });

  it('may have different files for require and import', async () => {
    const value = await runFiles({
      'index.ts': `import a from 'dep'; const b = require('dep'); export const run = () => [a, b];`,
      'node_modules/dep/package.json':
        '{ "exports": { "import": "./i.mjs", "require": "./r.cjs" } }',
      'node_modules/dep/i.mjs': say('import'),
      'node_modules/dep/r.cjs': 'module.exports = "require"',
    });
    expect(value).toEqual(['import', 'require']);
  });

  it('is searched from the importing file up to the plugin’s directory', async () => {
    const value = await runFiles({
      'index.ts': `import { a } from 'a'; import b from 'b'; export const run = () => [a, b];`,
      'node_modules/a/index.js': `import b from 'b'; export const a = b;`,
      'node_modules/a/node_modules/b/index.js': say('inner'),
      'node_modules/b/index.js': say('outer'),
    });
    expect(value).toEqual(['inner', 'outer']);
  });

  it('may be installed by pnpm, with links inside the plugin', async () => {
    const { symlinkSync } = await import('node:fs');
    const directory = makePlugin({
      'index.ts': `import a from 'a'; export const run = () => a;`,
      'node_modules/.pnpm/a@1/node_modules/a/index.js': `export { default } from 'b';`,
      'node_modules/.pnpm/b@1/node_modules/b/index.js': say('linked'),
    });
    symlinkSync('.pnpm/a@1/node_modules/a', `${directory}/node_modules/a`);
    symlinkSync('../../b@1/node_modules/b', `${directory}/node_modules/.pnpm/a@1/node_modules/b`);
    const { bundle } = await buildBundle({ directory, entry: { file: 'index.ts' } });
    expect(bundle.inputs.map(({ path }) => path)).toEqual([
      'index.ts',
      'node_modules/.pnpm/a@1/node_modules/a/index.js',
      'node_modules/.pnpm/b@1/node_modules/b/index.js',
    ]);
  });
});

describe('a built-in', () => {
  it('is found by a bare name, even if a package has the same name', async () => {
    const value = await runFiles({
      'index.ts': `import builtin from 'path'; import own from 'path/'; export const run = () => [typeof builtin.join, own];`,
      'node_modules/path/index.js': say('package'),
    });
    expect(value).toEqual(['function', 'package']);
  });
});
