import { describe, expect, it } from 'vitest';
import { suggestPermissions } from '../../src/index.js';
import { makePlugin } from '../engine/plugin-on-disk.js';

const MANIFEST = '{"name":"text","version":"1.0.0","type":"module","exports":"./index.js"}';

/** What a plugin needs whose package has that module, and whose tool returns `use`. */
async function neededBy(module: string, use: string, entry = ''): Promise<readonly string[]> {
  const directory = makePlugin({
    source: `// @ts-nocheck\nimport * as text from 'text';\n${entry}\nexport const tools = [{ id: 'run', execute: (input) => ${use} }];`,
    files: {
      'node_modules/text/package.json': MANIFEST,
      'node_modules/text/index.js': `import * as inner from './inner.js';\nexport { inner };\nexport const upper = (value) => value.toUpperCase();`,
      'node_modules/text/inner.js': module,
    },
  });
  const { items } = await suggestPermissions(directory);
  return [...new Set(items.map(({ permission }) => permission))];
}

const INNER = `const once = () => Math.random();
export function id() { return once(); }
export const stamp = function () { return again(9) + Date.now(); };
function again(n) { return n > 0 ? stamp(n - 1) : 0; }
export const same = (value) => value;`;

describe('code of a package that nothing calls', () => {
  it.each([
    ['nothing', '[text.upper("a"), text.inner.same(1)]', []],
    ['a function', 'text.inner.id()', ['random']],
    ['two functions that call each other', 'text.inner.stamp(1)', ['time']],
    ['a function by a text', `text.inner['id']()`, ['random']],
    [
      'a function of a pattern',
      '(() => { const { stamp } = text.inner; return stamp(1); })()',
      ['time'],
    ],
    ['all of them', 'Object.values(text.inner).map((one) => one(input))', ['random', 'time']],
    [
      'a pattern with the rest',
      '(() => { const { same, ...rest } = text.inner; return rest; })()',
      ['random', 'time'],
    ],
    ['what a name is computed for', 'text.inner[input.name]()', ['random', 'time']],
    ['another name of the module', 'other.same(1)', []],
    ['another name that is passed on', 'input.run(other)', ['random', 'time']],
  ])('needs no permission: %s is used', async (_what, use, permissions) => {
    const entry = use.includes('other') ? 'const other = text.inner;' : '';
    const needed = await neededBy(INNER, use, entry);
    expect(needed.toSorted()).toEqual(permissions);
  });

  it('is not taken for what a name with two functions has', async () => {
    const twice = `var pick = () => Math.random(); var pick = () => Date.now(); export const same = (value) => value; export { pick };`;
    expect(await neededBy(twice, 'input.run(text.inner)')).toEqual(['random', 'time']);
  });

  it('is only that of packages: the own code is as its author wants it', async () => {
    const source = `export const draw = () => Math.random(); export const tools = [];`;
    const { permissions } = await suggestPermissions(makePlugin({ source }));
    expect(permissions).toEqual({ random: true });
  });
});
