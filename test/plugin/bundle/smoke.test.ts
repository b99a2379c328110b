import { expect, test } from 'vitest';
import { runFiles } from './fixture.js';

test('smoke', async () => {
  const value = await runFiles({
    'index.ts': `
      import { readFile } from 'node:fs/promises';
      import path from 'path';
      import { b } from './lib/b.js';
      import data from './data.json';
      enum E { A = 3 }
      export const run = async () => [E.A, b, data.x, path.join('a', '../c'), import.meta.url, '<!-- import(x) eval(y) -->', Buffer.from('hi').toString('hex'), (await import('./lazy')).default];
    `,
    'lib/b.ts': 'export const b: number = 4;',
    'lazy.ts': 'export default `<!-- ${1} -->`;',
    'data.json': '{"x": 1}',
  });
  expect(value).toEqual([
    3,
    4,
    1,
    'c',
    'file:///plugin/index.ts',
    '<!-- import(x) eval(y) -->',
    '6869',
    '<!-- 1 -->',
  ]);
});
