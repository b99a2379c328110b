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
});
