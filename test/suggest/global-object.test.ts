import { describe, expect, it } from 'vitest';
import { suggestPermissions } from '../../src/index.js';
import { makePlugin } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';

const RUN = 'export const tools = [{ id: "run", execute: async () => run() }];';

describe('the suggestion for a package that takes the global object', () => {
  it.each([
    ['that it gets', `const find = (name) => typeof self !== 'undefined' ? self[name] : null;`],
    [
      'of an object',
      `const root = (() => { if (typeof self !== 'undefined') return self; return globalThis; })(); const find = (name) => root[name];`,
    ],
  ])('finds the fetch that a package reads by a name %s', async (_, find) => {
    const found = await suggestPermissions(
      makePlugin({
        source: `import { send } from 'client'; import { other } from 'other'; const run = async () => [await send('x'), other()];\n${RUN}`,
        files: {
          'node_modules/client/package.json': '{ "name": "client", "type": "module" }',
          'node_modules/client/index.js': `${find} export const send = (url) => find('fetch')(url);`,
          // It has the word, and does not read the global object so.
          'node_modules/other/package.json': '{ "name": "other", "type": "module" }',
          'node_modules/other/index.js': `export const other = () => [typeof globalThis, globalThis.Array, 'fetch'];`,
        },
      }),
    );
    expect(found.open).toEqual([
      {
        permission: 'network',
        what: 'fetch of the global object, at an address that is built at run time',
        at: expect.stringMatching(/^node_modules\/client\/index\.js:/),
      },
    ]);
  });

  it.each([
    [
      'draws from a crypto of it',
      'const own = root().crypto; return own.getRandomValues(new Uint8Array(1));',
      true,
    ],
    ['does not draw', 'return root().Array.isArray([]);', undefined],
  ])('that %s', async (_, body, random) => {
    const directory = makeVellum({
      files: {
        'tools/roll.js': `import { roll } from 'dice'; export default { description: 'Rolls', input_schema: { type: 'object' }, execute: async () => ({ content: String(roll()), isError: false }) };`,
        'node_modules/dice/package.json': '{ "name": "dice", "type": "module" }',
        'node_modules/dice/index.js': `function root() { if (typeof window !== 'undefined') return window; return globalThis; } export const roll = () => { ${body} };`,
      },
    });
    const { permissions } = await suggestPermissions(directory);
    expect(permissions.random).toBe(random);
  });
});
