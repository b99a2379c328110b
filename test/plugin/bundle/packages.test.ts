import { describe, expect, it } from 'vitest';
import { STREAMS_MODULE } from '../../../sandbox/wire/units.js';
import { bundleFiles, runFiles } from './fixture.js';

const say = (what: string): string => `export default ${JSON.stringify(what)};`;

describe('a package', () => {
  it('replaces its files and its imports outside Node', async () => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json':
        '{ "browser": { "./node.js": "./browser.js", "ws": false, "util": "./util.js", "./data": "./other.json" } }',
      'node_modules/dep/index.js':
        'module.exports = [require("./node"), require("ws"), require("util"), require("./data.json")]',
      'node_modules/dep/node.js': 'module.exports = "node"',
      'node_modules/dep/browser.js': 'module.exports = "browser"',
      'node_modules/dep/util.js': 'module.exports = "own util"',
      'node_modules/dep/data.json': '1',
      'node_modules/dep/other.json': '2',
    });
    expect(value).toEqual(['browser', {}, 'own util', 2]);
  });

  describe.each(['node', 'browser'] as const)('that the operator chose for %s', (build) => {
    const spec = { packageBuilds: { dep: build } };
    const index = { 'index.ts': `import dep from 'dep'; export const run = () => dep;` };
    const builds = {
      'node_modules/dep/node.js': 'module.exports = "node"',
      'node_modules/dep/browser.js': 'module.exports = "browser"',
    };

    it.each([
      ['exports', { exports: { browser: './browser.js', node: './node.js' } }],
      ['a main file for browsers', { main: 'node.js', browser: 'browser.js' }],
      [
        'files that browsers replace',
        { main: 'node.js', browser: { './node.js': './browser.js' } },
      ],
    ])('uses it, by %s', async (_, manifest) => {
      const files = {
        ...index,
        ...builds,
        'node_modules/dep/package.json': JSON.stringify({ name: 'dep', ...manifest }),
      };
      expect(await runFiles(files, { spec })).toBe(build);
      // Another package is chosen as ever.
      expect(await runFiles(files, { spec: { packageBuilds: { other: build } } })).toBe('browser');
    });
  });

  it('keeps the streams that it leaves out in browsers', async () => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json': '{ "browser": { "stream": false, "./streams": false } }',
      'node_modules/dep/index.js':
        'module.exports = [typeof require("stream").Transform, require("./streams")]',
      'node_modules/dep/streams.js': 'module.exports = "own streams"',
    });
    expect(value).toEqual(['function', 'own streams']);
  });

  it.each([
    ['keeps the files that it leaves out in browsers, if it asks for a version of Node', true, ''],
    ['has them left out if it is of no program', false, ''],
    ['has them left out if they need what a compartment lacks', true, 'require("net");'],
  ])('%s', async (_, isProgram, needs) => {
    const { code } = await bundleFiles(
      {
        'index.ts': `import dep from 'dep'; export const run = () => dep;`,
        'node_modules/dep/package.json': '{ "browser": { "./lib/streams": false } }',
        'node_modules/dep/index.js':
          'if (typeof process !== "undefined" && process.versions && process.versions.node) require("./lib/streams")(exports);',
        'node_modules/dep/lib/streams.js': `${needs} module.exports = (to) => { to.streams = 'own streams'; };`,
      },
      isProgram ? { virtualModules: [STREAMS_MODULE] } : {},
    );
    expect(code.includes('own streams')).toBe(isProgram && needs === '');
  });

  it('is used by its entry that leaves the prototypes of the language alone', async () => {
    const value = await runFiles({
      'index.ts': `import colors from 'colors'; export const run = () => colors;`,
      'node_modules/colors/package.json': '{}',
      'node_modules/colors/index.js':
        'String.prototype.red = "red"; module.exports = "changes prototypes"',
      'node_modules/colors/safe.js': 'module.exports = "safe"',
    });
    expect(value).toBe('safe');
  });

  it('uses its files for Node if those for browsers need a DOM', async () => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json':
        '{ "browser": { "./parse.js": "./page.js", "pure": false } }',
      'node_modules/dep/index.js': 'module.exports = require("./parse")',
      'node_modules/dep/parse.js': 'module.exports = require("pure")',
      'node_modules/dep/page.js': 'module.exports = new DOMParser()',
      'node_modules/pure/index.js': 'module.exports = "pure"',
    });
    expect(value).toBe('pure');
  });

  it('uses its file for Node if that for browsers reads window as it is loaded', async () => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep();`,
      'node_modules/dep/package.json': '{ "main": "node.js", "browser": "browser.js" }',
      'node_modules/dep/node.js':
        'const https = require("https"); module.exports = () => typeof https.request;',
      'node_modules/dep/browser.js':
        "module.exports = typeof self === 'object' ? self.FormData : window.FormData;",
    });
    expect(value).toBe('function');
  });

  it.each([
    ['sends only by XMLHttpRequest', 'exports.send = () => new XMLHttpRequest();', 'node:https'],
    ['reads a class of the window', 'module.exports = window.FormData;', 'path'],
    ['has no context of asynchronous code', "module.exports = 'browser';", 'node:async_hooks'],
    ['has none, by the older name', "module.exports = 'browser';", 'async_hooks'],
    [
      'has a window or nothing',
      `module.exports = typeof self !== "undefined" ? self : typeof window !== 'undefined' ? window : null`,
      'path',
    ],
  ])('uses its files for Node if the one for browsers %s', async (_, page, needed) => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json': '{ "main": "node.js", "browser": "page.js" }',
      'node_modules/dep/node.js': `require('${needed}'); module.exports = 'node';`,
      'node_modules/dep/page.js': page,
    });
    expect(value).toBe('node');
  });

  it.each([
    ['has no code', { 'page.js': 'export {};\n// A stub. The real build is done by rollup.\n' }],
    [
      'exports what needs a DOM',
      {
        'page.js': `export { parse } from './xml.js';`,
        'xml.js': `export const parse = new DOMParser();`,
      },
    ],
  ])('uses its file for Node if its short main file for browsers %s', async (_, pages) => {
    const files = Object.entries(pages).map(([name, text]) => [`node_modules/dep/${name}`, text]);
    const value = await runFiles({
      'index.ts': `import { parse } from 'dep'; export const run = () => parse;`,
      'node_modules/dep/package.json':
        '{ "type": "module", "exports": { "browser": "./page.js", "default": "./node.js" } }',
      'node_modules/dep/node.js': `export const parse = 'node';`,
      ...Object.fromEntries(files),
    });
    expect(value).toBe('node');
  });

  it('is bundled at once if its short main file begins with many slashes', async () => {
    const began = performance.now();
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json': '{ "main": "node.js", "browser": "page.js" }',
      'node_modules/dep/node.js': `module.exports = 'node';`,
      'node_modules/dep/page.js': `${'/'.repeat(200)}\nmodule.exports = 'page';`,
    });
    expect(value).toBe('page');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('gets the web classes of packages that it leaves out in browsers', async () => {
    const value = await runFiles(
      {
        'index.ts': `import dep from 'dep'; export const run = dep;`,
        'node_modules/dep/package.json':
          '{ "browser": { "abort-controller": false, "node-fetch": false, "other": false } }',
        'node_modules/dep/index.js': `
          const Controller = require('abort-controller');
          module.exports = () => {
            const controller = new Controller();
            controller.abort();
            return [controller.signal.aborted, new Controller.default() instanceof Controller,
              typeof require('node-fetch'), typeof require('other')];
          };`,
      },
      { fetch: true },
    );
    expect(value).toEqual([true, true, 'function', 'object']);
  });

  it.each([
    ['a literal', `require('../package.json')`],
    [
      'a path of its own directory',
      `require(join(dirname(fileURLToPath(import.meta.url)), '..', 'package.json'))`,
    ],
  ])('reads its package.json with createRequire and no permission, by %s', async (_, read) => {
    const value = await runFiles({
      'index.ts': `import { version } from 'dep'; export const run = () => version;`,
      'node_modules/dep/package.json': '{"name":"dep","version":"1.2.3","main":"lib/index.mjs"}',
      'node_modules/dep/lib/index.mjs': `import { createRequire } from 'node:module'; import { dirname, join } from 'node:path'; import { fileURLToPath } from 'node:url';
        const require = createRequire(import.meta.url); export const { version } = ${read};`,
    });
    expect(value).toBe('1.2.3');
  });

  it('requires a built-in module by createRequire at once, as a minified ES module does', async () => {
    const value = await runFiles({
      'index.ts': `import { base } from 'dep'; export const run = () => base('/a/b');`,
      'node_modules/dep/package.json': '{"name":"dep","type":"module","main":"index.mjs"}',
      'node_modules/dep/index.mjs':
        'import{createRequire as t}from"node:module";const p=t(import.meta.url)("path");export const base=x=>p.basename(x);',
    });
    expect(value).toBe('b');
  });

  it('builds without a package.json that its code names', async () => {
    const value = await runFiles({
      'index.ts': `import { version } from 'dep'; export const run = () => version;`,
      'node_modules/dep/index.js': `import { createRequire } from 'node:module';
        const read = () => { try { return createRequire(import.meta.url)('./package.json').version } catch { return 'none' } }; export const version = read();`,
    });
    expect(value).toBe('none');
  });

  it('logs by pino without a thread', async () => {
    const value = await runFiles({
      'index.ts': `import { start } from 'pino';
        export const run = async () => {
          const stream = start({ target: 'pino-pretty' });
          const ready = await new Promise((resolve) => stream.on('ready', () => resolve(true)));
          let closed = 0;
          stream.on('close', () => { closed += 1; });
          const flushed = await new Promise((resolve) => stream.flush(() => resolve(true)));
          stream.unref().ref().flushSync();
          stream.end(); stream.end();
          return [ready, flushed, closed, stream.closed];
        };`,
      'node_modules/pino/index.js': `exports.start = require('./lib/transport');`,
      'node_modules/pino/lib/transport.js': `throw new Error('starts a thread');`,
    });
    expect(value).toEqual([true, true, 1, true]);
  });

  it('has weak references that free nothing, which the own code has not', async () => {
    const value = await runFiles({
      'index.ts': `import * as dep from 'dep'; export const run = () => [typeof WeakRef, typeof FinalizationRegistry, dep.all(), dep.own()];`,
      'node_modules/dep/index.js': `const kept = { a: 1 };
exports.all = () => {
  const registry = new FinalizationRegistry(() => {});
  registry.register(kept, 'held');
  const classes = { WeakRef };
  return [new WeakRef(kept).deref() === kept, registry.unregister(kept), String(registry), new classes.WeakRef(kept) instanceof WeakRef, 'WeakRef'];
};
exports.own = () => { class WeakRef { deref() { return 'own'; } } return new WeakRef().deref(); };`,
    });
    expect(value).toEqual([
      'undefined',
      'undefined',
      [true, false, '[object FinalizationRegistry]', true, 'WeakRef'],
      'own',
    ]);
  });

  it('may test for shared memory, of which there is none', async () => {
    const getter = `const getter =\n  Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "byteLength").get;`;
    const isShared = `exports.isShared = (value) => { try { getter.call(value); return true; } catch { return false; } }; Object.getOwnPropertyDescriptor(SharedArrayBuffer.prototype, "growable").get;`;
    const value = await runFiles({
      'index.ts': `import { isShared, place } from 'dep'; export const run = () => [isShared(new ArrayBuffer(1)), typeof SharedArrayBuffer, place()];`,
      'node_modules/dep/index.js': `${getter}\n${isShared} exports.place = () => typeof SharedArrayBuffer;`,
    });
    expect(value).toEqual([false, 'undefined', 'undefined']);
  });

  it.each([
    ['bindings', `require('bindings')('x.node')`],
    ['node-gyp-build', `require('node-gyp-build')(__dirname)`],
    ['createRequire', `require('module').createRequire('/plugin/x.js')('./build/' + 'x.node')`],
  ])('is refused native code by name: %s', async (_, load) => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/index.js': `try { ${load} } catch ({ code, message }) { module.exports = code + ': ' + message }`,
    });
    expect(value).toMatch(/^BUILTIN_DENIED: native code \(.*plain JavaScript/);
  });

  it.each([
    ['those for browsers cannot read files', {}, 'node with fs'],
    [
      'not if one of them needs a module that is missing',
      { 'web.js': 'require("http"); module.exports = 0' },
      'browser',
    ],
    [
      'not if both read files',
      { 'page.js': 'require("fs"); module.exports = "browser"' },
      'browser',
    ],
  ])('uses its files for Node if %s', async (_, changed, expected) => {
    const value = await runFiles({
      'index.ts': `import dep from 'dep'; export const run = () => dep;`,
      'node_modules/dep/package.json':
        '{ "browser": { "./files.js": "./page.js", "./web.js": "./xhr.js", "./gone.js": "./none.js" } }',
      'node_modules/dep/index.js': 'require("./web"); module.exports = require("./files")',
      'node_modules/dep/files.js':
        'const fs = require("./fs"); module.exports = "node with " + (typeof fs.readFile === "function" ? "fs" : "")',
      'node_modules/dep/fs.js': 'module.exports = require("fs")',
      'node_modules/dep/page.js': 'module.exports = "browser"',
      'node_modules/dep/web.js': 'module.exports = require("path").sep',
      'node_modules/dep/xhr.js': 'module.exports = 1',
      ...Object.fromEntries(
        Object.entries(changed).map(([name, text]) => [`node_modules/dep/${name}`, text]),
      ),
    });
    expect(value).toBe(expected);
  });

  it('may import itself by its name and by its #imports', async () => {
    const value = await runFiles(
      {
        'src/index.ts': `import own from 'me/part'; import inner from '#inner/a'; import dep from '#dep'; export const run = () => [own, inner, dep];`,
        'src/part.ts': say('part'),
        'src/inner/a.ts': say('inner'),
        'package.json': JSON.stringify({
          name: 'me',
          exports: { './part': './src/part.js' },
          imports: {
            '#inner/*': './src/inner/*.ts',
            '#dep': { node: './none.js', default: 'dep' },
          },
        }),
        'node_modules/dep/index.js': say('dep'),
      },
      { spec: { entry: { file: 'src/index.ts' } } },
    );
    expect(value).toEqual(['part', 'inner', 'dep']);
  });

  it('with sideEffects false is bundled without its unused modules', async () => {
    const files = (pure: boolean): Record<string, string> => ({
      'index.ts': `import { a } from 'dep'; export const run = () => a;`,
      'node_modules/dep/package.json': JSON.stringify({ module: 'index.js', sideEffects: !pure }),
      'node_modules/dep/index.js': 'export { a } from "./a.js"; export { b } from "./b.js";',
      'node_modules/dep/a.js': 'export const a = 1;',
      'node_modules/dep/b.js': 'globalThis.unused = 1; export const b = 2;',
    });
    expect((await bundleFiles(files(true))).code).not.toContain('unused');
    expect((await bundleFiles(files(false))).code).toContain('unused');
  });

  it('has the default export of Node for importers that are ES modules in Node', async () => {
    const transpiled = `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'default'; exports.named = 'named';`;
    const value = await runFiles({
      'index.mts': `import dep, { named } from 'dep'; import * as all from 'dep'; const lazy = () => import('dep'); export const run = async () => [dep.default, named, all.default.named, (await lazy()).default.default];`,
      'node_modules/dep/index.js': transpiled,
    });
    expect(value).toEqual(['default', 'named', 'named', 'default']);
    expect(
      await runFiles({
        'index.ts': `import dep, { named } from 'dep'; export const run = () => [dep, named];`,
        'node_modules/dep/index.js': transpiled,
      }),
    ).toEqual(['default', 'named']);
  });
});
