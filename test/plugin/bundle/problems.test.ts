import { describe, expect, it } from 'vitest';
import { isBulkheadError } from '../../../src/errors.js';
import { bundleFiles } from './fixture.js';

async function problemsOf(files: Readonly<Record<string, string>>): Promise<unknown> {
  try {
    await bundleFiles(files);
  } catch (error) {
    if (isBulkheadError(error, 'BUNDLE_FAILED')) return error.details.problems;
    throw error;
  }
  return [];
}

describe('a problem', () => {
  it('of syntax has its file, line, column and line text', async () => {
    expect(
      await problemsOf({
        'index.ts': `import './src/bad';`,
        'src/bad.ts': 'export const a = 1;\n  let = = 2;',
      }),
    ).toEqual([
      {
        message: 'Unexpected "="',
        file: 'src/bad.ts',
        line: 2,
        column: 9,
        lineText: '  let = = 2;',
        remedy: expect.any(String),
      },
    ]);
  });

  it.each([
    ['const el = <div/>;', 'If this is JSX, move it to a file that ends in .tsx or .jsx'],
    ['const a = 1 <> 2;', 'Correct the source at this place.'],
  ])('of syntax in %s has a remedy for it', async (source, remedy) => {
    expect(await problemsOf({ 'index.ts': source })).toMatchObject([
      { remedy: expect.stringContaining(remedy) },
    ]);
  });

  it('of syntax has its place if the file was transformed first', async () => {
    const source = 'export const load = (name: string) => import(name);\n  let = = 2;';
    const problem = { message: 'Unexpected "="', file: 'index.ts', line: 2, column: 9 };
    expect(await problemsOf({ 'index.ts': source })).toMatchObject([problem]);
  });

  it('of a missing package names the package to install and the directory', async () => {
    expect(
      await problemsOf({
        'index.ts': `import './a';\nimport dep from '@scope/dep/sub';\nexport default dep;`,
        'a.ts': '',
      }),
    ).toEqual([
      {
        message:
          'Cannot import "@scope/dep/sub": "@scope/dep" is not in the plugin\'s node_modules',
        file: 'index.ts',
        line: 2,
        column: 17,
        lineText: `import dep from '@scope/dep/sub';`,
        remedy: expect.stringContaining('npm install @scope/dep'),
      },
    ]);
  });

  it('is reported for each missing file', async () => {
    expect(
      await problemsOf({ 'index.ts': `export * from './a';\nexport * from './b';` }),
    ).toMatchObject([
      { line: 1, message: expect.stringContaining('"./a"') },
      { line: 2, message: expect.stringContaining('"./b"') },
    ]);
  });

  it('of a name that a module lacks has its place', async () => {
    expect(
      await problemsOf({
        'index.js': `import { missing } from './a.js'; export const x = missing;`,
        'a.js': 'export const a = 1;',
      }),
    ).toMatchObject([
      { file: 'index.js', line: 1, message: expect.stringContaining('No matching export') },
    ]);
  });

  it('of JSON has its place', async () => {
    expect(
      await problemsOf({
        'index.ts': `import d from './d.json'; export default d;`,
        'd.json': '{\n  "a": oops\n}',
      }),
    ).toMatchObject([{ file: 'd.json', line: 2, column: 8 }]);
  });

  it('of an unsupported kind of file names the supported kinds', async () => {
    expect(
      await problemsOf({ 'index.ts': `import './style.css';`, 'style.css': '' }),
    ).toMatchObject([
      {
        message: '"style.css" is not a kind of file that can be bundled',
        remedy: expect.stringContaining('TypeScript'),
      },
    ]);
  });

  it('of machine code says so, whether the file is there or not', async () => {
    for (const files of [{ 'native.node': '' }, {}]) {
      expect(await problemsOf({ 'index.ts': `import './native.node';`, ...files })).toMatchObject([
        {
          message: 'Cannot import "./native.node": it is machine code, which plugins do not run',
          remedy: expect.stringContaining('WebAssembly'),
        },
      ]);
    }
    const inPackage = {
      'node_modules/native/package.json': '{ "main": "native.node" }',
      'node_modules/native/native.node': '\u007fELF',
    };
    for (const [files, code] of [
      [{}, `require('../build/Release/x.node')`],
      [inPackage, `require('native')`],
    ] as const) {
      const index = { 'index.js': `try { ${code}; } catch {}` };
      const { warnings } = await bundleFiles({ ...index, ...files });
      expect(warnings.join('\n')).toContain('it is machine code');
    }
  });

  it('is none if a name ends like machine code, and its file is code', async () => {
    const { code, warnings } = await bundleFiles({
      'index.js': `import { one } from './one.node'; export const tools = [one];`,
      'one.node.js': `export const one = 'number one';`,
    });
    expect(code).toContain('number one');
    expect(warnings).toEqual([]);
  });

  it('is one of at most 50 that are reported', async () => {
    const imports = Array.from({ length: 80 }, (_, index) => `export * from './a${index}';`);
    expect(await problemsOf({ 'index.ts': imports.join('\n') })).toHaveLength(50);
    const lazily = imports.map(
      (line) => `() => ${line.slice('export * from '.length, -1).replace(/.*/, 'import($&)')};`,
    );
    const { warnings } = await bundleFiles({ 'index.ts': lazily.join('\n') });
    expect(warnings).toHaveLength(50);
  });

  it('of a long line is cut', async () => {
    const [problem] = (await problemsOf({
      'index.js': `const x = '${'y'.repeat(5000)}'; let = = 1;`,
    })) as {
      lineText: string;
    }[];
    expect(problem?.lineText).toHaveLength(500);
  });

  it.each([
    ['a package', `import '${'a'.repeat(100_000)}';`],
    ['an optional package', `try { require('${'a'.repeat(100_000)}') } catch {}`],
    ['a place outside', `import '../${'a'.repeat(100_000)}';`],
    ['a file URL', `import 'file:///${'a'.repeat(100_000)}';`],
    ['a package’s internal import', `import '#${'a'.repeat(100_000)}';`],
  ])('with a long name of %s is cut', async (_, source) => {
    const told: unknown = await bundleFiles({ 'index.ts': source }).then(
      ({ warnings }) => warnings,
      (error: unknown) => [String(error), JSON.stringify(error)],
    );
    expect(JSON.stringify(told).length).toBeLessThan(5_000);
  });

  it('of a missing entry names the file', async () => {
    await expect(bundleFiles({ 'a.ts': '' }, { entry: { file: 'gone.ts' } })).rejects.toMatchObject(
      {
        code: 'BUNDLE_FAILED',
        message: expect.stringContaining('"gone.ts"'),
      },
    );
    await expect(bundleFiles({ 'a.ts': '' }, { entry: { file: '../x.ts' } })).rejects.toMatchObject(
      {
        code: 'OUTSIDE_PLUGIN',
      },
    );
    await expect(
      bundleFiles({ 'a.ts': '' }, { directory: `${import.meta.dirname}/not-there` }),
    ).rejects.toMatchObject({
      code: 'PLUGIN_NOT_FOUND',
    });
  });

  it('of nesting that is too deep to parse has its place', async () => {
    const deep = `${'['.repeat(3000)}1${']'.repeat(3000)}`;
    await expect(
      bundleFiles({ 'index.js': `\nexport const deep = ${deep};` }),
    ).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringMatching(/index\.js:2:\d+: .*stack space/),
    });
  });
});

describe('a warning', () => {
  it('is reported for direct eval, which cannot access variables under SES', async () => {
    const { warnings } = await bundleFiles({ 'index.js': 'export const run = (x) => eval(x);' });
    expect(warnings.join()).toMatch(/index\.js:1:\d+: Using direct eval/);
  });
});
