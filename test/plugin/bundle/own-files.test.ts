import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { makePlugin, runFiles } from './fixture.js';

const DATA = 'Ünï "code"\n';

/** Runs a package that reads files of its own as it is loaded, and returns what it exports. */
function read(source: string, files: Readonly<Record<string, string>> = {}): Promise<unknown> {
  return runFiles({
    'index.ts': `import found from 'dep'; export const run = () => found;`,
    'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","main":"lib/index.js"}',
    'node_modules/dep/lib/index.js': `const fs = require('fs'); const path = require('path'); const text = (bytes) => [Buffer.isBuffer(bytes), bytes.toString()]; ${source}`,
    'node_modules/dep/lib/data.txt': DATA,
    'node_modules/dep/top.json': '{"a":1}',
    'secret.txt': 'of the plugin',
    'node_modules/other/package.json': '{"name":"other","version":"1.0.0"}',
    'node_modules/other/data.txt': 'of another',
    ...files,
  });
}

describe('files that a package reads of its own directory', () => {
  it.each([
    [`text(fs.readFileSync(__dirname + '/data.txt'))`, [true, DATA]],
    [`fs.readFileSync(__dirname + "/data.txt", "utf8")`, DATA],
    ['fs.readFileSync(`${__dirname}/data.txt`, { encoding: "utf-8" })', DATA],
    [
      `fs.readFileSync(path.join(__dirname, 'data.txt'), 'base64')`,
      btoa(String.fromCharCode(...Buffer.from(DATA))),
    ],
    [
      `require('fs').readFileSync(path.resolve(__dirname, '..', './lib/data.txt')).length`,
      Buffer.byteLength(DATA),
    ],
    [`(() => {return(0,fs.readFileSync)(__dirname + '/../top.json', 'latin1')})()`, '{"a":1}'],
    [`JSON.parse((0, fs.readFileSync)((0, path.join)(__dirname, '../top.json'), 'utf8')).a`, 1],
  ])('are part of its code: %s', async (expression, expected) => {
    expect(await read(`module.exports = ${expression};`)).toEqual(expected);
  });

  it('stay out of texts and comments that look like such a call', async () => {
    const source = `/* fs.readFileSync(__dirname + '/end.txt', 'utf8') */ module.exports = "fs.readFileSync(__dirname + '/end.txt', 'utf8')";`;
    expect(await read(source, { 'node_modules/dep/lib/end.txt': '*/ "' })).toBe(
      "fs.readFileSync(__dirname + '/end.txt', 'utf8')",
    );
  });

  it('are part of an ES module too, and each call gives bytes of its own', async () => {
    const value = await read('', {
      'node_modules/dep/package.json': '{"name":"dep","type":"module","main":"lib/index.js"}',
      'node_modules/dep/lib/index.js': `import { readFileSync } from 'node:fs';
        const load = () => readFileSync(new URL('./data.txt', import.meta.url));
        const first = load(); first[0] = 33;
        export default [load().toString(), readFileSync(new URL('../top.json', import.meta.url), 'utf8')];`,
    });
    expect(value).toEqual([DATA, '{"a":1}']);
  });

  it.each([
    ['of the plugin', `fs.readFileSync(__dirname + '/../../../secret.txt', 'utf8')`],
    ['of another package', `fs.readFileSync(path.join(__dirname, '../../other/data.txt'), 'utf8')`],
    [
      'with a path that is computed',
      `fs.readFileSync(__dirname + '/' + ['data', 'txt'].join('.'), 'utf8')`,
    ],
    ['that is not there', `fs.readFileSync(__dirname + '/gone.txt', 'utf8')`],
    ['beside its directory', `fs.readFileSync(__dirname + 'data.txt', 'utf8')`],
    ['of machine code', `fs.readFileSync(__dirname + '/code.wasm')`],
  ])('need a permission if they are %s', async (_, expression) => {
    const value = await read(
      `let found; try { found = String(${expression}); } catch (error) { found = error.code; } module.exports = found;`,
      { 'node_modules/dep/lib/code.wasm': 'x', 'node_modules/dep/libdata.txt': 'x' },
    );
    expect(value).toBe('EACCES');
  });

  it('need a permission if they are behind a link', async () => {
    const directory = makePlugin({
      'index.ts': `import found from 'dep'; export const run = () => found;`,
      'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
      'node_modules/dep/index.js': `module.exports = require('fs').readFileSync(__dirname + '/data.txt', 'utf8');`,
      'secret.txt': 'of the plugin',
    });
    symlinkSync('../../secret.txt', join(directory, 'node_modules/dep/data.txt'));
    const { bundle } = await buildBundle({ directory, entry: { file: 'index.ts' } });
    expect(bundle.code).not.toContain('of the plugin');
  });

  it('need a permission in the plugin’s own code', async () => {
    const value = await runFiles({
      'index.ts': `import fs from 'node:fs'; declare const __dirname: string;
        export const run = () => { try { return fs.readFileSync(__dirname + '/secret.txt', 'utf8'); } catch (error: any) { return error.code; } };`,
      'secret.txt': 'of the plugin',
    });
    expect(value).toBe('EACCES');
  });

  it.each([undefined, { together: [] }] as const)(
    'are evidence of the bundle, which is built again if they change (packages: %j)',
    async (separate) => {
      const directory = makePlugin({
        'index.ts': `import found from 'dep'; export const run = () => found;`,
        'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0"}',
        'node_modules/dep/index.js': `module.exports = require('fs').readFileSync(__dirname + '/data.txt', 'utf8');`,
        'node_modules/dep/data.txt': 'first',
      });
      const build = (): ReturnType<typeof buildBundle> =>
        buildBundle({
          directory,
          entry: { file: 'index.ts' },
          ...(separate === undefined ? {} : { separate }),
        });
      const before = await build();
      expect(Object.keys(before.evidence.files)).toContain('node_modules/dep/data.txt');
      expect((await build()).evidence.files).toEqual(before.evidence.files);
      writeFileSync(join(directory, 'node_modules/dep/data.txt'), 'second');
      const after = await build();
      expect(before.bundle.code).toContain('"first"');
      expect(after.bundle.code).toContain('"second"');
    },
  );
});
