/** What the bundles of real extensions look like, and that they load (Spindle, Entry and globals). */
import { describe, expect, it } from 'vitest';
import { answerOf, tool } from './answer-of.js';

describe('S08: a bundle loads', () => {
  it.each([
    [
      'with exports',
      `${tool('value')} const value = 'x'; export { value as default, value };`,
      'x',
    ],
    ['with an empty export', `${tool("'x'")} export {};`, 'x'],
    [
      'with top-level await',
      `const value = await Promise.resolve('late'); ${tool('value')}`,
      'late',
    ],
    [
      'with tokens of HTML comments in texts',
      `const html = "<!-- a --> b"; const t = \`<!-- \${1} -->\`; ${tool('html + t')}`,
      '<!-- a --> b<!-- 1 -->',
    ],
    ['with --> in code', `let n = 3; let c = 0; while (n --> 0) c += 1; ${tool('c')}`, '3'],
    [
      'with import( and eval( in texts and comments',
      `// import('x') and eval('y')\n/* import("z") */ const s = "import('a')" + \`eval(1)\`; ${tool('s')}`,
      "import('a')eval(1)",
    ],
    [
      'with a method called eval',
      `const o = { eval(x) { return x } }; ${tool("o.eval('y')")}`,
      'y',
    ],
    [
      'with a regular expression of those',
      `const r = /<!--|-->|import\\(/; ${tool("r.test('-->')")}`,
      'true',
    ],
  ])('%s', async (_, source, expected) => {
    expect(await answerOf({ source })).toBe(expected);
  });

  it('that Bun made for itself', async () => {
    const source = `// @bun
      var __create = Object.create;
      var __getProtoOf = Object.getPrototypeOf;
      var __defProp = Object.defineProperty;
      var __getOwnPropNames = Object.getOwnPropertyNames;
      var __hasOwnProp = Object.prototype.hasOwnProperty;
      var __toESM = (mod, isNodeMode, target) => {
        target = mod != null ? __create(__getProtoOf(mod)) : {};
        const to = isNodeMode || !mod || !mod.__esModule ? __defProp(target, 'default', { value: mod, enumerable: true }) : target;
        for (let key of __getOwnPropNames(mod)) if (!__hasOwnProp.call(to, key)) __defProp(to, key, { get: () => mod[key], enumerable: true });
        return to;
      };
      var __commonJS = (cb, mod) => () => (mod || cb((mod = { exports: {} }).exports, mod), mod.exports);
      var __require = import.meta.require;
      var __legacyDecorateClassTS = function (decorators, target) { return target; };
      var require_semver = __commonJS((exports, module) => {
        var debug = typeof process === 'object' && process.env && process.env.NODE_DEBUG && /\\bsemver\\b/i.test(process.env.NODE_DEBUG) ? (...args) => console.error('SEMVER', ...args) : () => {};
        class SemVer { constructor(v) { debug('SemVer', v); this.parts = v.split('.').map(Number); } toString() { return this.parts.join('.'); } }
        SemVer.prototype.constructor = SemVer;
        module.exports = { SemVer, fs: () => __require('fs') };
      });
      var import_semver = __toESM(require_semver(), 1);
      var isServer = [typeof window, typeof document].join(' ');
      var text = Buffer.from('aGk=', 'base64').toString('utf8');
      ${tool('`${new import_semver.default.SemVer("1.2.3")} ${isServer} ${text} ${import.meta.main ?? "no main"} ${typeof import.meta.url}`')}
      export { import_semver as default };`;
    expect(await answerOf({ source })).toBe('1.2.3 undefined undefined hi false string');
  });

  it('that was made small', async () => {
    const source = `var r=Object.defineProperty,t=(e,n)=>r(e,"name",{value:n,configurable:!0});class o extends Map{get(e){return super.get(e)??0}}t(o,"Counter");let a=new o,{registerTool:i,on:s,log:{info:l}}=spindle;i({name:"run",display_name:"Run",description:"r",parameters:{}}),s("TOOL_INVOCATION",async({args:e})=>(a.set("n",a.get("n")+1),l("ran"),\`\${o.name} \${a.get("n")}\`));`;
    expect(await answerOf({ source })).toBe('Counter 1');
  });

  it('of several files that import each other', async () => {
    const answer = await answerOf({
      source: `import { value } from './lib/value.js'; import data from './data.json'; ${tool('value + data.n')}`,
      files: {
        'dist/lib/value.js': `import { base } from '../base.mjs'; export const value = base + 1;`,
        'dist/base.mjs': 'export const base = 40;',
        'dist/data.json': '{"n": 1}',
      },
    });
    expect(answer).toBe('42');
  });

  it('that imports a file of its own when it runs', async () => {
    const answer = await answerOf({
      source: tool(`(await import('./later.js')).value`),
      files: { 'dist/later.js': `export const value = 'later';` },
    });
    expect(answer).toBe('later');
  });

  it('that is TypeScript and was never built', async () => {
    const answer = await answerOf({
      backend: 'src/backend.ts',
      source: `import { twice } from './twice'; const value: number = twice(21); ${tool('value')} export type { Twice } from './twice';`,
      files: {
        'src/twice.ts':
          'export type Twice = number; export const twice = (n: number): Twice => n * 2;',
      },
    });
    expect(answer).toBe('42');
  });
});

describe('S11: what sloppy code assigns', () => {
  it.each([
    [
      'the message of an error',
      `const e = new Error('a'); e.message = 'b'; return e.message;`,
      'b',
    ],
    [
      'the name of an error class',
      `class Mine extends Error { constructor(m) { super(m); this.name = 'Mine'; } } return new Mine('x').name;`,
      'Mine',
    ],
    ['toString of an object', `const o = {}; o.toString = () => 'mine'; return String(o);`, 'mine'],
    [
      'constructor of a prototype',
      `function A() {} A.prototype.constructor = A; return typeof new A().constructor;`,
      'function',
    ],
    [
      'toJSON of a date',
      `const d = new Date(0); d.toJSON = () => 'then'; return JSON.parse(JSON.stringify(d));`,
      'then',
    ],
    [
      'hasOwnProperty',
      `const o = {}; o.hasOwnProperty = () => 'own'; return o.hasOwnProperty();`,
      'own',
    ],
  ])('%s', async (_, body, expected) => {
    expect(await answerOf({ source: tool(`(() => { ${body} })()`) })).toBe(expected);
  });
});
