import { createRequire } from 'node:module';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { makePlugin } from './fixture.js';

/** Evaluates a bundle in this realm, as a guest without a compartment does. */
async function runUnconfined(files: Readonly<Record<string, string>>): Promise<unknown> {
  const directory = makePlugin(files);
  const { bundle } = await buildBundle({
    directory,
    entry: { file: 'index.ts' },
    builtins: 'real',
  });
  const make: unknown = runInThisContext(bundle.code);
  if (typeof make !== 'function') throw new Error('not a function');
  const namespace = await make({ modules: {}, require: createRequire(`${directory}/bundle.cjs`) });
  const value: unknown = await namespace.run();
  return JSON.parse(JSON.stringify({ value, directory }));
}

describe('a bundle with the real built-ins', () => {
  it("has Node's modules and globals, and its real path", async () => {
    const { value, directory } = (await runUnconfined({
      'index.ts': `
        import { readFileSync } from 'node:fs';
        import { createHash, randomUUID } from 'crypto';
        export const run = () => [
          readFileSync(new URL('./data.txt', import.meta.url), 'utf8'),
          randomUUID().length,
          typeof process.kill,
          import.meta.dirname,
          createHash('md5').update('').digest('hex').length,
        ];
      `,
      'data.txt': 'data',
    })) as { value: unknown[]; directory: string };
    expect(value).toEqual(['data', 36, 'function', directory, 32]);
  });

  it("uses packages' files for Node, and finds modules by computed names", async () => {
    const { value } = (await runUnconfined({
      'index.ts': `import dep from 'dep'; export const run = async (name = 'dep') => [dep, require(name + '/other.js'), (await import(name + '/other.js'))];`,
      'node_modules/dep/package.json': '{ "main": "node.js", "browser": "browser.js" }',
      'node_modules/dep/node.js': 'module.exports = "node"',
      'node_modules/dep/browser.js': 'module.exports = "browser"',
      'node_modules/dep/other.js': 'module.exports = "other"',
    })) as { value: unknown };
    expect(value).toEqual(['node', 'other', 'other']);
  });

  it('does not depend on the plugin’s directory', async () => {
    const files = { 'index.ts': 'export const here = import.meta.url;' };
    const [a, b] = await Promise.all(
      [makePlugin(files), makePlugin(files)].map((directory) =>
        buildBundle({ directory, entry: { file: 'index.ts' }, builtins: 'real' }),
      ),
    );
    expect(a?.bundle.hash).toBe(b?.bundle.hash);
  });
});
