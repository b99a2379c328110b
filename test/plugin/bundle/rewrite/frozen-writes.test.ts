import { describe, expect, it } from 'vitest';
import { runFiles } from '../fixture.js';

describe('writes over frozen intrinsics', () => {
  it('override an inherited property in the code’s own object', async () => {
    const value = await runFiles({
      'index.ts': `
        function MyError(this: any) { this.text = 'mine'; }
        MyError.prototype = new RangeError();
        MyError.prototype.constructor = RangeError;
        (MyError as any).prototype.toString = function () { return this.text };
        function Safe() {}
        Safe.prototype = Object.create(String.prototype);
        const prototype = Safe.prototype;
        prototype.valueOf = () => 7;
        export const run = () => [String(new (MyError as any)()), +new (Safe as any)(), MyError.prototype.constructor === RangeError];
      `,
    });
    expect(value).toEqual(['mine', 7, true]);
  });

  it.each([
    ['a WeakMap', `const it = new WeakMap(); it.get = it.get; it.set = it.set;`, 'get'],
    ['a WeakSet', `const it = new WeakSet(); it.add = function (x) { return x };`, 'add'],
    ['a RegExp', `const it = /a/; it.exec = () => null;`, 'exec'],
    ['a promise', `const it = Promise.resolve(); it.then = it.then; it.catch = it.catch;`, 'then'],
    ['a function', `const it = () => 1; it.call = () => 2; it.bind = it.bind;`, 'call'],
    ['an ArrayBuffer', `const it = new ArrayBuffer(1); it.slice = () => 3;`, 'slice'],
  ])('override the methods of %s, in strict code too', async (_, code, name) => {
    const value = await runFiles({
      'index.ts': `// @ts-nocheck\n${code} export const run = () => Object.hasOwn(it, '${name}');`,
    });
    expect(value).toBe(true);
  });

  it('override the methods of arrays by functions, in classes that inherit from them', async () => {
    const value = await runFiles({
      'index.ts': `// @ts-nocheck
        function List() {} List.prototype = Object.create(Array.prototype);
        const methods = List.prototype;
        methods.indexOf = function () { return 7; }; methods.map = () => 'mapped';
        const plain = {}; plain.values = [1]; plain.filter = 2;
        export const run = () => { const list = new List(); return [list.indexOf(1), list.map(), plain]; };`,
    });
    expect(value).toEqual([7, 'mapped', { values: [1], filter: 2 }]);
  });

  it('override by a computed name what an object made of an intrinsic’s prototype inherits', async () => {
    const value = await runFiles({
      'index.ts': `// @ts-nocheck
        function List() {} List.prototype = Object.create(Array.prototype);
        const mixin = { some: () => 'mixed in', at: () => 'also' };
        for (const key of Object.keys(mixin)) List.prototype[key] = mixin[key];
        const seen = Object.create(Map.prototype);
        seen['has'] = () => 'has';
        export const run = () => {
          const list = new List();
          list.push(2, 1);
          list.sort();
          return [list.some(), list.at(), list.length, list[0], list instanceof Array, [].some(() => true), seen.has(), Object.keys(List.prototype), Object.isFrozen(Object.getPrototypeOf(List.prototype))];
        };`,
    });
    expect(value).toEqual(['mixed in', 'also', 2, 1, true, false, 'has', ['some', 'at'], true]);
  });

  it('of packages to the intrinsics do nothing in ES modules too', async () => {
    const value = await runFiles({
      'index.ts': `import { patch } from 'polyfill'; export const run = () => patch();`,
      'node_modules/polyfill/package.json':
        '{"name":"polyfill","type":"module","exports":"./index.js"}',
      'node_modules/polyfill/index.js': `
        Set.prototype['toJSON'] = function () { return [...this] };
        Function.prototype.toString = () => 'patched';
        Object.defineProperty(Array.prototype, 'extra', { value: 1 });
        export const patch = () => [JSON.stringify(new Set([1])), String(() => 1), [].extra === undefined];`,
    });
    expect(value).toEqual(['{}', '() => 1', true]);
  });

  it('to the intrinsics do nothing in CommonJS, which may be sloppy', async () => {
    const value = await runFiles({
      'index.js': `
        Math.sign = function () { return 'replaced' };
        String.prototype.shout = function () { return this + '!' };
        Object.defineProperty(Array.prototype, 'extra', { value: 1 });
        exports.run = () => [Math.sign(-3), ''.shout === undefined, [].extra === undefined];
      `,
    });
    expect(value).toEqual([-1, true, true]);
  });

  it('to the intrinsics throw in ES modules, as in all strict code', async () => {
    await expect(
      runFiles({ 'index.ts': 'Math.sign = () => 0; export const run = () => 1;' }),
    ).rejects.toThrow('Cannot assign to read only property');
    await expect(
      runFiles({ 'index.ts': '(String.prototype as any).x = 1; export const run = () => 1;' }),
    ).rejects.toThrow('not extensible');
  });

  it('throw unchanged for setters, frozen objects of the plugin and undefined', async () => {
    const value = await runFiles({
      'index.js': `
        const broken = Object.create({ set toString(x) { throw new Error('setter') } });
        const messages = [];
        const attempt = (f) => { try { f(); messages.push('fine') } catch (error) { messages.push(error.message) } };
        attempt(() => { broken.toString = 1 });
        attempt(() => { undefined.toString = 1 });
        attempt(() => { Object.freeze({ toString: 0 }).toString = 1 });
        exports.run = () => messages;
      `,
    });
    expect(value).toEqual(['setter', expect.stringContaining('undefined'), 'fine']);
  });
});
