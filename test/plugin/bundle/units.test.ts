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

  it('evaluates all files of a package that awaits, if they are ES modules', async () => {
    const { code } = await bundleFiles(
      {
        ...WAITS,
        'index.js': `import { now } from 'waits'; import { later } from 'waits/later.mjs'; export const tools = [now, later];`,
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
    const both = {
      ...WAITS,
      'index.js': `import { now } from 'waits'; import old from 'waits/old.cjs'; export const tools = [now, old];`,
      'node_modules/waits/old.cjs': 'module.exports = 1;',
    };
    await expect(bundleFiles(both, { separate: { together: [] } })).rejects.toThrow(
      /node_modules\/waits awaits at its top level/,
    );
    const { code } = await bundleFiles(both, { separate: { together: ['node_modules/waits'] } });
    expect(readUnits(code).map(({ path }) => path)).toEqual(['.']);
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
