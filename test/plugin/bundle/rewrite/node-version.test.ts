import { describe, expect, it } from 'vitest';
import { runFiles } from '../fixture.js';

const READER = 'exports.had = typeof globalThis.process;';
const OLD = "exports.version = parseInt(process.versions.node.split('.')[0], 10);";

describe('the version of Node in a package', () => {
  it.each([
    ['alone', { old: OLD, reader: "exports.had = 'none';" }, 'none'],
    ['beside a package that reads globalThis.process', { old: OLD, reader: READER }, 'object'],
    [
      'in a package that reads globalThis.process',
      { old: `${READER}${OLD}`, reader: READER },
      'object',
    ],
    [
      'beside a package with a process of its own',
      {
        old: `${OLD}require('process');`,
        reader: `${READER} var process = globalThis.process; exports.own = process.env;`,
      },
      'object',
    ],
  ])('can be split: %s', async (_where, packages, had) => {
    const files = {
      'index.ts': `
        import { version } from 'old';
        import { had } from 'reader';
        export const run = () => [version, had];`,
      'node_modules/old/index.js': packages.old,
      'node_modules/reader/index.js': packages.reader,
    };
    expect(await runFiles(files)).toEqual([20, had]);
  });

  it.each([
    `import process from 'node:process'; export const version = Number(process.versions.node.split('.')[0]);`,
    `import { versions } from 'process'; export const version = Number(versions.node?.split('.')[0] ?? 20);`,
  ])('can be split by an ES module that imports process: %s', async (old) => {
    const files = {
      'index.ts': `import { version } from 'old'; export const run = () => version;`,
      'node_modules/old/package.json': '{ "type": "module" }',
      'node_modules/old/index.js': old,
    };
    expect(await runFiles(files)).toBe(20);
  });

  it.each([
    [`semver.gte(process.version, 'v10.0.0')`, true],
    [`semver.satisfies( process.version , '<5')`, false],
    [`semver.major(process.version)`, 20],
    [`typeof process.version + process.version`, 'string'],
  ])('can be compared by semver: %s', async (expression, expected) => {
    const files = {
      'index.ts': `import { answer } from 'asks'; export const run = () => answer;`,
      'node_modules/asks/index.js': `const numbers = (text) => { const [, major] = /^v?(\\d+)\\.\\d+/.exec(text) ?? []; if (major === undefined) throw new TypeError('Invalid Version: ' + text); return Number(major); };
        const semver = { major: numbers, gte: (a, b) => numbers(a) >= numbers(b), satisfies: (a, b) => numbers(a) < 5 };
        exports.answer = ${expression};`,
    };
    expect(await runFiles(files)).toBe(expected);
  });

  it('is not needed by the package is-core-module, which lists the modules of Node', async () => {
    const files = {
      'index.ts': `import lists from 'lists'; export const run = () => lists;`,
      'node_modules/lists/index.js': `const is = require('is-core-module'); module.exports = ['fs', 'node:path', 'left-pad'].map((name) => is(name));`,
    };
    expect(await runFiles(files)).toEqual([true, true, false]);
  });

  it('stands beside the members of process that compiled modules copy', async () => {
    const files = {
      'index.ts': `import copy from 'copy'; export const run = () => copy;`,
      'node_modules/copy/index.js': `const real = require('process'); const own = Object.fromEntries(Object.getOwnPropertyNames(real).map((key) => [key, real[key]])); module.exports = [typeof own.env, typeof own.cwd, typeof own.nextTick];`,
    };
    expect(await runFiles(files)).toEqual(['object', 'function', 'function']);
  });
});
