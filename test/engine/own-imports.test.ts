/** Files that an MCP server finds and imports as it runs, by deed. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { makeServer, plainProgram } from './mcp-on-disk.js';
import { makeDirectory } from './plugin-on-disk.js';

/** Imports all that is in its directory `tools`. */
const LOADER = `import { readdirSync } from 'node:fs'; import { dirname, join } from 'node:path'; import { fileURLToPath, pathToFileURL } from 'node:url';
  const here = dirname(fileURLToPath(import.meta.url));
  const load = async (way) => {
    const found = [];
    for (const name of readdirSync(join(here, 'tools')).sort()) {
      const path = join(here, 'tools', name);
      const specifier = { url: () => pathToFileURL(path).href + '?v=1', path: () => path, relative: () => './tools/' + name }[way]();
      try { found.push((await import(specifier)).name); } catch (error) { found.push(error.code ?? error.name + ' ' + error.message); }
    }
    return found.join();
  };`;
const PROGRAM = plainProgram(
  `if (args.other) { try { return text((await import(args.other)).secret); } catch (error) { return text(error.code); } }
   return text(await load(args.way));`,
  LOADER,
);
const TOOLS = {
  'tools/one.js': `import { suffix } from '../shared.js'; export const name = 'one' + suffix;`,
  'tools/two.mjs': `export const name = 'two';`,
  'shared.js': `export const suffix = '!';`,
  'tools/two.test.js': `import 'vitest-that-is-not-there'; export const name = 'test';`,
};

function withPackages(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      `node_modules/@scope/my tools/dist/${path}`,
      text,
    ]),
  );
}

async function call(
  directory: string,
  input: object,
  more: Partial<EngineOptions> = {},
): Promise<string> {
  await using engine = await createEngine({
    plugins: [directory],
    tolerance: 'full',
    grant: () => ({ time: true, fs: ['.'] }),
    ...more,
  });
  const [tool] = engine.catalog.list();
  const { content } = await engine.call(tool?.name ?? '', { ...input });
  return content[0]?.text ?? '';
}

describe('a server that imports all files of a directory', () => {
  it.each(['url', 'path', 'relative'])('gets them by a %s', async (way) => {
    const directory = makeServer({ program: PROGRAM, files: TOOLS });
    expect(await call(directory, { way })).toBe('one!,two,BUILTIN_DENIED');
  });

  const own = { 'node_modules/@scope/my tools': { fs: true, streams: true } };
  it.each([
    ['together', 'together'],
    ['separate', { grant: own }],
  ] as const)('gets them in an npm package, %s', async (_, packages) => {
    const directory = makeServer({
      program: '',
      manifest: { bin: 'node_modules/@scope/my tools/dist/main.js' },
      files: {
        ...withPackages({ ...TOOLS, 'main.js': PROGRAM }),
        'node_modules/@scope/my tools/package.json':
          '{ "name": "@scope/my tools", "type": "module" }',
      },
    });
    expect(await call(directory, { way: 'url' }, { packages: { sample: packages } })).toBe(
      'one!,two,BUILTIN_DENIED',
    );
  });

  it('gets a file that was added, and not one that was removed', async () => {
    const directory = makeServer({ program: PROGRAM, files: TOOLS });
    const cacheDirectory = makeDirectory();
    expect(await call(directory, { way: 'path' }, { cacheDirectory })).toBe(
      'one!,two,BUILTIN_DENIED',
    );
    writeFileSync(join(directory, 'tools/three.js'), `export const name = 'three';`);
    rmSync(join(directory, 'tools/two.mjs'));
    expect(await call(directory, { way: 'path' }, { cacheDirectory })).toBe(
      'one!,three,BUILTIN_DENIED',
    );
  });

  const problemsOf = async (directory: string, more: Partial<EngineOptions>): Promise<string[]> => {
    await using engine = await createEngine({ plugins: [directory], tolerance: 'full', ...more });
    return engine.plugins().flatMap(({ problems }) => problems.map(({ message }) => message));
  };

  it.each(['together', 'separate'] as const)(
    'gets all but those that cannot be bundled, which are named: %s',
    async (mode) => {
      const files = {
        ...TOOLS,
        'tools/bad.js': `import 'not-there'; export const name = 'bad';`,
        'tools/deep.js': `import { value } from '../library.js'; export const name = value;`,
        'library.js': `export const value = 'not closed`,
        'tools/three.js': `export { name } from './two.mjs';`,
      };
      const directory = makeServer({ program: PROGRAM, files });
      const more = { packages: { sample: mode } };
      expect(await problemsOf(directory, more)).toEqual([
        expect.stringContaining('library.js:1:33: Unterminated string literal'),
        expect.stringContaining('tools/bad.js:1:8: Cannot import "not-there"'),
      ]);
      const answer = await call(directory, { way: 'url' }, more);
      expect(answer).toMatch(
        /^Error .*bad.js:1:8: .*,Error .*library.js:1:33: .*,one!,two,two,BUILTIN_DENIED$/,
      );
    },
  );

  it('runs without them, and says why, if that is not because of some of them', async () => {
    const big = `export const name = 'big'; //${'x'.repeat(13 * 2 ** 20)}`;
    const directory = makeServer({ program: PROGRAM, files: { ...TOOLS, 'tools/big.js': big } });
    expect(await problemsOf(directory, {})).toEqual([
      expect.stringMatching(
        /^The files that server\.js imports as it runs are left out\. .*big\.js/,
      ),
    ]);
    expect(await call(directory, { way: 'url' })).toMatch(/^(?:BUILTIN_DENIED,?)+$/);
  });

  it('does not start if a file cannot be bundled that it imports by its name', async () => {
    const program = `import './tools/bad.js'; ${PROGRAM}`;
    const files = { ...TOOLS, 'tools/bad.js': `export const name = 'bad` };
    const directory = makeServer({ program, files });
    await expect(call(directory, { way: 'url' })).rejects.toThrow(/no tool/i);
    expect(await problemsOf(directory, {})).toEqual([
      expect.stringContaining('tools/bad.js:1:25: Unterminated string literal'),
    ]);
  });

  it('gets no file above or of another package', async () => {
    const directory = makeServer({
      program: '',
      manifest: { bin: 'dist/main.js' },
      files: {
        ...Object.fromEntries(Object.entries(TOOLS).map(([path, text]) => [`dist/${path}`, text])),
        'dist/main.js': PROGRAM,
        'above.js': `export const secret = 'secret';`,
        'dist/node_modules/other/index.js': `exports.secret = 'secret';`,
      },
    });
    for (const other of [
      '/plugin/above.js',
      '../above.js',
      './node_modules/other/index.js',
      'other',
    ]) {
      expect(await call(directory, { other })).toBe('BUILTIN_DENIED');
    }
  });

  it('is the only code that gets them: a package that lists its directory gets nothing', async () => {
    const directory = makeServer({
      program: plainProgram('return text(await load(args.way));', `import { load } from 'lists';`),
      files: {
        'node_modules/lists/package.json': '{ "main": "index.mjs" }',
        'node_modules/lists/index.mjs': `${LOADER} export { load };`,
        'node_modules/lists/tools/one.mjs': `export const name = 'one';`,
      },
    });
    expect(await call(directory, { way: 'url' })).toBe('BUILTIN_DENIED');
  });

  const FRAMEWORK = {
    'node_modules/framework/package.json': '{ "main": "index.mjs" }',
    'node_modules/framework/index.mjs': `${LOADER.replace('dirname(fileURLToPath(import.meta.url))', 'dirname(process.argv[1])')} export { load };`,
    'node_modules/framework/tools/one.mjs': `export const name = 'of the framework';`,
  };
  it.each([
    [{ framework: '1' }, 'together', 'one!,two,BUILTIN_DENIED'],
    [{ framework: '1' }, 'separate', 'one!,two,BUILTIN_DENIED'],
    [{ other: '1' }, 'together', 'BUILTIN_DENIED,BUILTIN_DENIED,BUILTIN_DENIED'],
  ] as const)(
    'gets them by a framework that it names: %j, %s',
    async (dependencies, mode, expected) => {
      const directory = makeServer({
        program: plainProgram(
          'return text(await load(args.way));',
          `import { load } from 'framework';`,
        ),
        manifest: { dependencies },
        files: { ...TOOLS, ...FRAMEWORK },
      });
      const grant = {
        'node_modules/framework': { fs: true, arguments: true, imports: ['.'] },
      };
      const packages = { sample: mode === 'separate' ? { grant } : mode };
      expect(await call(directory, { way: 'url' }, { packages })).toBe(expected);
    },
  );
});
