import { expect, it } from 'vitest';
import { createEngine } from '../../../src/index.js';
import { makePlugin } from '../plugin-on-disk.js';

const NAMES = ['one', 'two', 'three', 'four', 'five', 'own', 'default', 'six'];

function single(name: string, text: string, main = 'index.js'): Record<string, string> {
  const fields = { main, type: 'module', sideEffects: false, dependencies: { a: '1', b: '1' } };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify(fields),
    [`node_modules/${name}/${main}`]: text,
  };
}

it('a separate package that exports all of others has what it has in one bundle', async () => {
  const values = NAMES.map((name) => `top[${JSON.stringify(name)}]`).join();
  const directory = makePlugin({
    source: `// @ts-nocheck
      import * as top from 'top'; import { next, count } from 'top';
      export const tools = [{ id: 'run', name: 'R', description: 'R.', parameters: { type: 'object' }, annotations: { readOnlyHint: true },
        execute: async () => [${values}, Object.keys(top).sort(), count, next(), count] }];`,
    files: {
      ...single(
        'top',
        `export * from 'a'; export * from 'b'; export const own = 'own one', one = 1;`,
      ),
      ...single('a', `export * from './more.js'; export const one = 'number one';`),
      'node_modules/a/more.js': `export const { two, x: [three = 'number three', ...four] } = { two: 'number two', x: [] };`,
      ...single(
        'b',
        `export default 1; export function five() {} export let count = 0; export const next = () => (count += 1);`,
      ),
    },
  });
  const expected = [1, 'number two', 'number three', [], null, 'own one', null, null];
  const keys = ['count', 'five', 'four', 'next', 'one', 'own', 'three', 'two'];
  for (const packages of ['together', 'separate'] as const) {
    await using engine = await createEngine({
      plugins: [directory],
      packages: { sample: packages },
    });
    const { content } = await engine.call('run', {});
    expect(JSON.parse(content[0]?.text ?? '')).toEqual([...expected, keys, 0, 1, 1]);
  }
});
