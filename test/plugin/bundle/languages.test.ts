import { describe, expect, it } from 'vitest';
import { bundleFiles, runFiles, runUnderSes } from './fixture.js';

describe('a plugin', () => {
  it('may use TypeScript syntax that compiles to code', async () => {
    const value = await runFiles({
      'index.ts': `
        enum Level { Low, High = 5 }
        const enum Flag { On = 'on' }
        namespace Inner { export const x = 2 }
        class Point { constructor(public readonly x: number, private y = 3) {} sum() { return this.x + this.y } }
        abstract class Base { abstract go(): number }
        import type { Missing } from './missing';
        const f = <T,>(x: T): T => x satisfies unknown as T;
        export const run = () => [Level.High, Level[0], Flag.On, Inner.x, new Point(1).sum(), f<number>(4)!];
      `,
    });
    expect(value).toEqual([5, 'Low', 'on', 2, 4, 4]);
  });

  it('may import CommonJS from ES modules and the reverse', async () => {
    const value = await runFiles({
      'index.ts': `
        import common, { named } from './common.cjs';
        import * as all from './common.cjs';
        export const run = () => [common.named, named, all.named, common.fromModule()];
      `,
      'common.cjs': `
        exports.named = 1;
        exports.fromModule = () => require('./module.mjs').value;
        this.same = exports === this;
      `,
      'module.mjs': 'export const value = 2;',
    });
    expect(value).toEqual([1, 1, 1, 2]);
  });

  it('is an ES module by its syntax, regardless of its package.json', async () => {
    const value = await runFiles({
      'index.js': 'import { x } from "./other.js"; export const run = () => x;',
      'other.js': 'export const x = 1;',
      'package.json': '{ "type": "commonjs" }',
    });
    expect(value).toBe(1);
  });

  it('may be a CommonJS module, whose properties are its exports', async () => {
    const bundle = await bundleFiles({
      'index.cjs': 'module.exports = { tools: [], run: () => 4 };',
    });
    expect(await runUnderSes(bundle, { call: 'run' })).toMatchObject({
      ok: true,
      exports: ['default', 'run', 'tools'],
      value: 4,
    });
  });

  it('may be an ES module compiled to CommonJS by TypeScript', async () => {
    const bundle = await bundleFiles({
      'index.js': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 7; exports.run = () => exports.default;`,
    });
    expect(await runUnderSes(bundle, { call: 'run' })).toMatchObject({
      exports: ['default', 'run'],
      value: 7,
    });
  });

  it('exports live bindings', async () => {
    const value = await runFiles({
      'index.ts':
        'export * from "./state"; import * as state from "./state"; export const run = () => { state.set(5); return state.count };',
      'state.ts': 'export let count = 0; export const set = (x: number) => { count = x };',
    });
    expect(value).toBe(5);
  });

  it('may await at its top level', async () => {
    const value = await runFiles({
      'index.ts': 'import { x } from "./slow"; export const run = () => x;',
      'slow.ts':
        'export const x = await new Promise<number>((resolve) => setTimeout(() => resolve(3), 1));',
    });
    expect(value).toBe(3);
  });

  it('may import JSON, with and without attributes, small and large', async () => {
    const large = Array.from({ length: 4000 }, (_, index) => ({ index, text: '<!-- import(' }));
    const value = await runFiles({
      'index.ts': `
        import data from './data.json';
        import { deep } from './data.json';
        import again from './data.json' with { type: 'json' };
        import large from './large.json';
        export const run = () => [data.deep.x, deep.x, again.deep.x, large.length, large[3999].text, require('./large.json') === large];
      `,
      'data.json': '\uFEFF{ "deep": { "x": 1 } }',
      'large.json': JSON.stringify(large),
    });
    expect(value).toEqual([1, 1, 1, 4000, '<!-- import(', true]);
  });

  it('may import text as text', async () => {
    const value = await runFiles({
      'index.ts': `import prompt from './prompt.md'; import css from './a.css' with { type: 'text' }; export const run = () => prompt + css;`,
      'prompt.md': '# Hi <!-- there -->\n',
      'a.css': 'p {}',
    });
    expect(value).toBe('# Hi <!-- there -->\np {}');
  });

  it('may be JSX, begin with a hashbang, and have a byte order mark', async () => {
    const value = await runFiles({
      'index.tsx': `\uFEFF#!/usr/bin/env bun\nconst React = { createElement: (name: string, _: unknown, ...children: unknown[]) => [name, ...children] };\nexport const run = () => <b>{1}</b>;`,
    });
    expect(value).toEqual(['b', 1]);
  });

  it('may be a text that imports files of the directory', async () => {
    const value = await runFiles(
      { 'lib/a.ts': 'export const a = 6;' },
      {
        spec: {
          entry: {
            source:
              'export { a } from "./lib/a"; import { a } from "./lib/a.js"; export const run = () => a;',
          },
        },
      },
    );
    expect(value).toBe(6);
  });

  it('sees a virtual path, not its path on the host', async () => {
    const files = {
      'src/index.ts': `
        import { fileURLToPath } from 'node:url';
        import { here } from './deep/er.js';
        export const run = () => [import.meta.url, import.meta.dirname, import.meta.filename, fileURLToPath(new URL('../data.json', import.meta.url)), here];
      `,
      'src/deep/er.js': 'exports.here = [__dirname, __filename];',
    };
    const bundle = await bundleFiles(files, { entry: { file: 'src/index.ts' } });
    expect(await runUnderSes(bundle, { call: 'run' })).toMatchObject({
      value: [
        'file:///plugin/src/index.ts',
        '/plugin/src',
        '/plugin/src/index.ts',
        '/plugin/data.json',
        ['/plugin/src/deep', '/plugin/src/deep/er.js'],
      ],
    });
    expect(bundle.code + bundle.sourceMap).not.toContain('bulkhead-plugin-');
  });

  it('may declare its own variable __dirname', async () => {
    const value = await runFiles({
      'index.ts': `import path from 'node:path'; import { fileURLToPath } from 'node:url'; const __filename = fileURLToPath(import.meta.url); const __dirname = path.dirname(__filename); export const run = () => __dirname;`,
    });
    expect(value).toBe('/plugin');
  });
});

describe('sloppy CommonJS', () => {
  it('runs if its syntax is valid in strict mode', async () => {
    const value = await runFiles({
      'index.js': `
        var octal = 010, text = '\\101';
        leaked = 5;
        function shadow(a) { arguments[0] = 2; return a }
        exports.run = function () { return [octal, text, leaked, typeof this, require.main === module] };
      `,
    });
    expect(value).toEqual([8, 'A', 5, 'object', false]);
  });

  it('is refused with its place if its syntax is invalid in strict mode', async () => {
    await expect(
      bundleFiles({ 'index.js': 'exports.x = 1;\nwith (Math) { abs(1) }' }),
    ).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      details: {
        problems: [{ file: 'index.js', line: 2, remedy: expect.stringContaining('use strict') }],
      },
    });
  });
});

describe('a module that the guest provides', () => {
  const modules = { '@scope/sdk': '({ define: (x) => x * 2, name: "sdk" })' };
  const spec = { virtualModules: ['@scope/sdk'] };

  it('can be imported by name, as a namespace and by require', async () => {
    const value = await runFiles(
      {
        'index.ts': `
          import sdk, { define } from '@scope/sdk';
          import * as all from '@scope/sdk';
          const { name } = require('@scope/sdk');
          export const run = () => [define(2), all.name, sdk.name, name];
        `,
      },
      { modules, spec },
    );
    expect(value).toEqual([4, 'sdk', 'sdk', 'sdk']);
  });

  it('is not loaded if only its types are used', async () => {
    const value = await runFiles(
      {
        'index.ts': `import { Tool } from '@scope/sdk'; export const run = (): Tool => 1 as Tool;`,
      },
      { spec },
    );
    expect(value).toBe(1);
  });

  it('throws on import if the guest does not provide it', async () => {
    await expect(
      runFiles(
        { 'index.ts': `import { define } from '@scope/sdk'; export const run = () => define(1);` },
        { spec },
      ),
    ).rejects.toThrow('does not provide the module "@scope/sdk"');
  });
});
