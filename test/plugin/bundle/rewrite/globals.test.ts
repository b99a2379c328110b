import { describe, expect, it } from 'vitest';
import { runFiles } from '../fixture.js';
import { evaluate, rewrite } from './evaluate.js';

const assigned = (body: string): readonly string[] =>
  rewrite(`${body}; const exported = 0;`).assignedGlobals;

describe('assignedGlobals of a bundle', () => {
  it.each([
    ['globalThis.fetch = 1', ['fetch']],
    ['globalThis["fetch"] = 1', ['fetch']],
    ['globalThis.fetch ??= 1', ['fetch']],
    ['globalThis.count++', ['count']],
    ['({ a: globalThis.fetch, b: [globalThis.URL] } = {})', ['URL', 'fetch']],
    ['for (globalThis.fetch of []);', ['fetch']],
    ['delete globalThis.fetch', ['fetch']],
    ['Object.defineProperty(globalThis, "fetch", {})', ['fetch']],
    ['Object.assign(globalThis, { fetch: 1, "URL": 2 })', ['URL', 'fetch']],
    ['Reflect.set(globalThis, "fetch", 1)', ['fetch']],
    ['Reflect.deleteProperty(globalThis, "fetch")', ['fetch']],
    ['const fill = () => {}; fill(globalThis, "fetch", () => {})', ['fetch']],
    ['const g = typeof x === "undefined" ? globalThis : {}; g.fetch = 1', ['fetch']],
    ['let g; g = globalThis || {}; const h = g; h.fetch = 1', ['fetch']],
    ['(function (root) { root.fetch = 1 })(globalThis)', ['fetch']],
    ['fetch = 1', ['fetch']],
    ['[fetch] = [1]', ['fetch']],
  ])('finds %s', (body, names) => {
    expect(assigned(body)).toEqual(names);
  });

  it.each([
    'let fetch; fetch = 1',
    '(function () { var fetch; { fetch = 1 } })()',
    '(function (fetch) { fetch = 1 })()',
    'try {} catch (fetch) { fetch = 1 }',
    '(function fetch() {})(); class URL {} ; const f = () => { for (let fetch = 0; fetch < 1; fetch++); }',
    'const o = {}; o.fetch = 1; o.globalThis = 2',
    'const f = ({ fetch }, [URL = 1], ...rest) => { fetch = URL = rest = 1 }',
    'fetch.x = 1',
    'label: for (;;) break label',
    'Reflect.get(globalThis, "fetch")',
    'Object.getOwnPropertyDescriptor(globalThis, "fetch")',
    'const root = globalThis; const getNative = () => {}; getNative(root, "Map")',
  ])('ignores %s', (body) => {
    expect(assigned(body)).toEqual([]);
  });
});

describe('an undeclared variable', () => {
  it('that is assigned to becomes a variable of the bundle', () => {
    const names = Object.getOwnPropertyNames(globalThis);
    expect(
      evaluate(
        'function count() { forgotten = (typeof forgotten === "undefined" ? 0 : forgotten) + 1; return forgotten } count(); const exported = count();',
      ),
    ).toBe(2);
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(names);
    expect(assigned('forgotten = 1')).toEqual([]);
  });
});

describe('the use of an undeclared name', () => {
  it.each([
    ['missing', 'ReferenceError: missing is not defined'],
    ['missing()', 'ReferenceError: missing is not defined'],
    ['({ missing })', 'ReferenceError: missing is not defined'],
    ['`${missing}`', 'ReferenceError: missing is not defined'],
    ['missing?.x', 'ReferenceError: missing is not defined'],
    ['class X extends missing {}', 'ReferenceError: missing is not defined'],
  ])('%s is a ReferenceError', async (code, error) => {
    await expect(
      runFiles({
        'index.js': `exports.run = () => { try { ${code}; return 'ran' } catch (error) { return String(error) } }`,
      }),
    ).resolves.toBe(error);
  });

  it('is allowed in typeof, and for globals that exist', async () => {
    await expect(
      runFiles({
        'index.js': `globalThis.late = 1; exports.run = () => [typeof missing, late, typeof fetch, new Float64Array(2).length]`,
      }),
    ).resolves.toEqual(['undefined', 1, 'undefined', 2]);
  });
});

describe('old expressions for the global object', () => {
  it.each([
    'Function("return this")()',
    'new Function("return this")()',
    '(function () { return this })()',
    '(function () { return this; }())',
    "typeof self === 'undefined' ? window : self",
    "typeof window !== 'undefined' ? window : self",
  ])('%s is globalThis in strict code', (expression) => {
    expect(evaluate(`const exported = ${expression};`)).toBe(globalThis);
  });

  it('are not changed if they have another meaning', () => {
    expect(
      evaluate('const Function = () => () => 5; const exported = Function("return this")();'),
    ).toBe(5);
    expect(evaluate('const exported = (function () { return typeof this })();')).toBe('undefined');
    expect(evaluate('const exported = { f() { return this.x }, x: 3 }.f();')).toBe(3);
  });
});
