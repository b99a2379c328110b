import { describe, expect, it } from 'vitest';
import { readUnits, writeUnits } from '../../../sandbox/wire/units.js';
import { findOriginalPosition } from '../../../src/plugin/source-map.js';
import { bundleFiles } from './fixture.js';

const FILES = {
  'index.js': `import { left } from 'a';\nexport const tools = [];\nexport const use = () => left();\n`,
  'node_modules/a/package.json': '{ "main": "main.js", "dependencies": { "b": "1" } }',
  'node_modules/a/main.js': `const b = require('b');\nconst c = require('c');\nexports.left = () => {\n  throw new Error(b + c);\n};\n`,
  'node_modules/b/index.js': `module.exports = 'b';\n`,
  'node_modules/c/index.js': `module.exports = 'c';\n`,
};

const WAITS = {
  'index.js': `import { now } from 'waits'; export const tools = [now];`,
  'node_modules/waits/index.mjs': 'export const now = await 1;',
  'node_modules/waits/package.json': '{ "main": "index.mjs" }',
};

/** A package of ES modules, whose main file has the exports of others. */
function barrel(name: string, sideEffects: unknown): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      main: 'index.js',
      type: 'module',
      sideEffects,
      dependencies: { deep: '1' },
    }),
    [`node_modules/${name}/index.js`]: `export * as big from './big.js'; export * from './small.js'; export { deep } from 'deep';`,
    [`node_modules/${name}/big.js`]: `export const text = 'the big one'; console.log(text);`,
    [`node_modules/${name}/small.js`]: `export const one = 'number one'; export const two = 'number two'; export let count = 0; export const add = () => { count += 1; };`,
    'node_modules/deep/package.json':
      '{ "main": "index.js", "type": "module", "sideEffects": false }',
    'node_modules/deep/index.js': `export const deep = 'deep down';`,
  };
}

describe('a separate package without side effects', () => {
  const codeOf = async (files: Readonly<Record<string, string>>): Promise<string> =>
    (await bundleFiles(files, { separate: { together: [] } })).code;

  it.each([
    ['names that are imported', `import { one } from 'a'; export const tools = [one];`],
    ['members of a namespace', `import * as a from 'a'; export const tools = [a.one, a['one']];`],
    ['names that another module exports', `export { one as tools } from 'a';`],
  ])('has only the exports that are used: %s', async (_, index) => {
    const code = await codeOf({ 'index.js': index, ...barrel('a', false) });
    expect(code).toContain('number one');
    expect(code).not.toMatch(/number two|the big one|deep down/);
    expect(readUnits(code).map(({ path }) => path)).toEqual(['.', 'node_modules/a']);
  });

  it.each([
    ['a namespace as a value', `import * as a from 'a'; export const tools = [a, a.one];`],
    [
      'a member by a computed name',
      `import * as a from 'a'; export const tools = (x) => a[x] ?? a.one;`,
    ],
    ['a test for a name', `import * as a from 'a'; export const tools = ['one' in a];`],
    ['all exports', `export * from 'a'; export const tools = [];`],
    ['a dynamic import', `export const tools = async () => (await import('a')).one;`],
    ['require', `exports.tools = [require('a').one];`],
  ])('has all exports if code uses %s', async (_, index) => {
    const code = await codeOf({ 'index.js': index, ...barrel('a', false) });
    for (const text of ['number one', 'number two', 'the big one', 'deep down']) {
      expect(code).toContain(text);
    }
  });

  it.each([
    [[], false, false],
    [['./other.js'], false, false],
    [['./styles/*.css'], false, false],
    // The imported file is evaluated, with all that it imports and that has side effects.
    [['big.js'], true, false],
    [['./index.js'], false, false],
    [['**/index.js'], true, true],
    [true, true, true],
    [undefined, true, true],
  ])('is one by its package.json: sideEffects %j', async (sideEffects, isKept, isKeptTogether) => {
    const index = `import { one } from 'a'; export const tools = [one];`;
    const files = { 'index.js': index, ...barrel('a', sideEffects) };
    const code = await codeOf(files);
    expect(code).toContain('number one');
    expect(code.includes('the big one')).toBe(isKept);
    expect((await bundleFiles(files)).code.includes('the big one')).toBe(isKeptTogether);
  });

  it.each([
    [
      'several of its files are imported',
      `import { one } from 'a'; import { two } from 'a/small.js'; export const tools = [one, two];`,
    ],
    [
      'a namespace of another file is imported',
      `import { one } from 'a'; import * as small from 'a/small.js'; export const tools = [one, small.two];`,
    ],
  ])('has only the exports that are used if %s', async (_, index) => {
    const code = await codeOf({ 'index.js': index, ...barrel('a', false) });
    expect(code).toMatch(/number one[^]*number two/);
    expect(code).not.toMatch(/the big one|deep down/);
    expect(readUnits(code).map(({ path }) => path)).toEqual(['.', 'node_modules/a']);
  });

  it('has all exports of one file, and of another one only those that are used', async () => {
    const code = await codeOf({
      'index.js': `import { big } from 'a'; import * as small from 'a/small.js'; export const tools = [big, small];`,
      ...barrel('a', false),
    });
    for (const text of ['number one', 'number two', 'the big one']) expect(code).toContain(text);
    expect(code).not.toContain('deep down');
  });

  const importer = (name: string, used: string, next?: string): Record<string, string> => ({
    [`node_modules/${name}/package.json`]:
      '{ "main": "index.js", "type": "module", "sideEffects": false, "dependencies": { "a": "1", "p": "1", "q": "1", "r": "1" } }',
    [`node_modules/${name}/index.js`]: `import { ${used} } from 'a'; ${next === undefined ? '' : `export * from '${next}';`} export const ${name} = ${used};`,
  });

  it('has what each of several importers uses', async () => {
    const code = await codeOf({
      'index.js': `import { p, q } from 'p'; export const tools = [p, q];`,
      ...importer('p', 'one', 'q'),
      ...importer('q', 'two'),
      ...barrel('a', false),
    });
    expect(code).toMatch(/number one[^]*number two/);
    expect(code).not.toContain('the big one');
  });

  it('has all exports if one importer after the other uses more', async () => {
    const code = await codeOf({
      'index.js': `import { p, q, r } from 'p'; export const tools = [p, q, r];`,
      ...importer('p', 'one', 'q'),
      ...importer('q', 'two', 'r'),
      ...importer('r', 'count'),
      ...barrel('a', false),
    });
    expect(code).toMatch(/number one[^]*number two/);
    expect(code).toContain('the big one');
  });
});

/** A package of one file. */
function single(name: string, text: string, fields: object = {}): Record<string, string> {
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({
      main: 'index.js',
      type: 'module',
      sideEffects: false,
      ...fields,
    }),
    [`node_modules/${name}/index.js`]: text,
  };
}

describe('a separate package whose evaluation may have side effects', () => {
  const kit = {
    'node_modules/kit/package.json': '{ "type": "module" }',
    'node_modules/kit/a.js': `console.log('from a'); export const one = 'number one'; export const two = 'number two';`,
    'node_modules/kit/b.js': `console.log('from b'); export const three = 'number three'; export const four = 'number four';`,
  };
  const USES = `import { three } from 'kit/b.js'; import { one } from 'kit/a.js'; console.log(one, three);`;
  const server = {
    ...single('server', USES, { sideEffects: true, dependencies: { kit: '1' } }),
    ...kit,
  };

  it.each([
    ['the plugin', { 'index.js': `${USES} export const tools = [];`, ...kit }, {}],
    [
      'a server that is the plugin',
      server,
      {
        entry: {
          surfaces: [{ kind: 'tools', stem: 'server', file: 'node_modules/server/index.js' }],
        },
      },
    ],
  ] as const)(
    'has only the exports that are used, and is evaluated in order, if %s starts with it',
    async (_, files, spec) => {
      const { code } = await bundleFiles(files, { ...spec, separate: { together: [] } });
      expect(code).toMatch(/from b[^]*from a/);
      expect(code).toMatch(/number three[^]*number one/);
      expect(code).not.toMatch(/number two|number four/);
    },
  );

  it('has all exports, and is evaluated by file, if it may be imported later', async () => {
    const { code } = await bundleFiles(
      { 'index.js': `export const tools = async () => import('server');`, ...server },
      { separate: { together: [] } },
    );
    for (const text of ['from a', 'from b', 'number two', 'number four']) {
      expect(code).toContain(text);
    }
  });
});

describe('a separate package that exports all of others', () => {
  const TOP = single('top', `export * from 'a'; export * from 'b'; export const own = 'own one';`);
  const build = async (files: Readonly<Record<string, string>>): Promise<string> =>
    (await bundleFiles(files, { separate: { together: [] } })).code;
  const pathsOf = (code: string): readonly string[] => readUnits(code).map(({ path }) => path);

  it.each([
    ['import { two }', 'two'],
    ['import * as top', 'top.two'],
    ['import { three, two }', '[three, two]'],
  ])('imports only what is used of them: %s', async (imported, used) => {
    const files = {
      'index.js': `${imported} from 'top'; export const run = () => ${used};`,
      ...TOP,
      ...single('a', `export * from './more.js'; export const one = 'number one';`),
      'node_modules/a/more.js': `export const { two, x: [three = 'number three', ...four] } = { two: 'number two', x: [] };`,
      ...single('b', `export default 1; export function five() { return 'number five'; }`),
    };
    const code = await build(files);
    expect(pathsOf(code)).toEqual(['.', 'node_modules/a', 'node_modules/top']);
    expect(code).not.toMatch(/number one|number five|own one/);
  });

  it.each([
    ['CommonJS', `exports.one = 'number one'; exports.five = 'number five';`, { type: 'commonjs' }],
    ['the same name', `export const two = 'number five';`, {}],
    ['a name that is text', `const five = 'number five'; export { five as 'a b' };`, {}],
    ['each other', `export * from 'top'; export const five = 'number five';`, {}],
  ])('imports all of them if one has %s', async (_, text, fields) => {
    const code = await build({
      'index.js': `import { one } from 'top'; export const run = () => one;`,
      ...TOP,
      ...single('a', `export const one = 'number one'; export const two = 'number two';`),
      ...single('b', text, fields),
    });
    expect(code).toContain('number five');
    expect(pathsOf(code)).toContain('node_modules/b');
  });
});

describe('a bundle with separate packages', () => {
  it('has a unit for the own code and for each package, with what it imports', async () => {
    const { code, packages } = await bundleFiles(FILES, { separate: { together: [] } });
    const units = readUnits(code).map(({ path, imports, undeclared }) => ({
      path,
      imports,
      undeclared,
    }));
    expect(units).toEqual([
      { path: '.', imports: ['node_modules/a'], undeclared: [] },
      {
        path: 'node_modules/a',
        imports: ['node_modules/b', 'node_modules/c'],
        undeclared: ['node_modules/c'],
      },
      { path: 'node_modules/b', imports: [], undeclared: [] },
      { path: 'node_modules/c', imports: [], undeclared: [] },
    ]);
    expect(packages.map(({ path }) => path)).toEqual([
      'node_modules/a',
      'node_modules/b',
      'node_modules/c',
    ]);
  });

  it.each(['import.mjs', 'eval(x).js', 'é.js', '字.js', '😀.js', "'quoted'.js"])(
    'links a file whose name the code has in another form: %s',
    async (file) => {
      const { code } = await bundleFiles(
        {
          'index.js': `import 'dep'; export const tools = [];`,
          'node_modules/dep/package.json': JSON.stringify({ main: file }),
          [`node_modules/dep/${file}`]: 'globalThis.was = 1;',
        },
        { separate: { together: [] } },
      );
      expect(readUnits(code).map(({ path, imports }) => [path, imports])).toEqual([
        ['.', ['node_modules/dep']],
        ['node_modules/dep', []],
      ]);
    },
  );

  it('has one source map for all units', async () => {
    const { code, sourceMap } = await bundleFiles(FILES, { separate: { together: [] } });
    const lines = code.split('\n');
    const places = ['throw new Error(', `"c"`, 'left)()'].flatMap((text) => {
      const line = lines.findIndex((one) => one.includes(text));
      const found = findOriginalPosition(
        sourceMap,
        line + 1,
        (lines[line] ?? '').indexOf(text) + 1,
      );
      return found === undefined ? [] : [`${found.source}:${found.line}`];
    });
    expect(places).toEqual(['node_modules/a/main.js:4', 'node_modules/c/index.js:1', 'index.js:3']);
  });

  it('puts a package in the own code if the operator says so', async () => {
    const { code } = await bundleFiles(FILES, { separate: { together: ['node_modules/a'] } });
    expect(readUnits(code).map(({ path, imports }) => [path, imports])).toEqual([
      ['.', ['node_modules/b', 'node_modules/c']],
      ['node_modules/b', []],
      ['node_modules/c', []],
    ]);
  });

  it('marks a package that awaits at its top level', async () => {
    const { code } = await bundleFiles(WAITS, { separate: { together: [] } });
    expect(readUnits(code).map(({ path, isAsync }) => [path, isAsync])).toEqual([
      ['.', false],
      ['node_modules/waits', true],
    ]);
  });

  it.each([
    `import { now } from 'waits'; import { later } from 'waits/later.mjs'; export const tools = [now, later];`,
    `export const tools = [() => import('waits'), () => import('waits/later.mjs')];`,
  ])('evaluates all files of a package that awaits, if they are ES modules: %s', async (index) => {
    const { code } = await bundleFiles(
      {
        ...WAITS,
        'index.js': index,
        'node_modules/waits/later.mjs': 'export const later = 2;',
      },
      { separate: { together: [] } },
    );
    expect(readUnits(code).map(({ path, isAsync }) => [path, isAsync])).toEqual([
      ['.', false],
      ['node_modules/waits', true],
    ]);
  });

  it('names a package that cannot be separate, and the option that runs it together', async () => {
    const cycle = {
      ...WAITS,
      'node_modules/waits/index.mjs': `import 'back'; export const now = await 1;`,
      'node_modules/back/index.js': `exports.late = () => require('waits');`,
    };
    await expect(bundleFiles(cycle, { separate: { together: [] } })).rejects.toThrow(
      /node_modules\/waits awaits at its top level.* add "node_modules\/waits" to "together"/,
    );
    const late = {
      ...WAITS,
      'index.js': `import { now } from 'waits'; import old from 'waits/old.cjs'; export const tools = [now, old];`,
      'node_modules/waits/old.cjs': `exports.again = () => import('./index.mjs');`,
    };
    await expect(bundleFiles(late, { separate: { together: [] } })).rejects.toThrow(
      /node_modules\/waits awaits at its top level/,
    );
    const together = ['node_modules/waits', 'node_modules/back'];
    const { code } = await bundleFiles(cycle, { separate: { together } });
    expect(readUnits(code).map(({ path }) => path)).toEqual(['.']);
  });

  it('separates a package that awaits, if its CommonJS files are imported too', async () => {
    const both = {
      ...WAITS,
      'index.js': `import { now } from 'waits'; import old from 'waits/old.cjs'; import { later } from 'waits/later.mjs'; export const tools = [now, old, later];`,
      'node_modules/waits/old.cjs': 'module.exports = 1;',
      'node_modules/waits/later.mjs': `export const later = 2; export const { x } = { x: 1 };`,
    };
    const { code } = await bundleFiles(both, { separate: { together: [] } });
    expect(readUnits(code).map(({ path, isAsync }) => [path, isAsync])).toEqual([
      ['.', false],
      ['node_modules/waits', true],
    ]);
  });

  it('reads the text that it writes, and no other', () => {
    const units = [
      {
        path: '.',
        code: 'one\ntwo',
        assigned: ['fetch'],
        isAsync: true,
        imports: ['x'],
        undeclared: [],
      },
      {
        path: 'node_modules/é',
        code: '"\\u2028é"',
        assigned: [],
        isAsync: false,
        imports: [],
        undeclared: ['x'],
      },
    ];
    const text = writeUnits(units);
    expect(readUnits(text)).toEqual([
      { ...units[0], lines: 1, height: 2 },
      { ...units[1], lines: 3, height: 1 },
    ]);
    expect(() => readUnits('(function () {})')).toThrow('the bundle has no units');
  });
});
