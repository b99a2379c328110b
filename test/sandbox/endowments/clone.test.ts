import { describe, expect, test } from 'vitest';
import { useRealm } from './realm/realm.js';

const realm = useRealm();

describe('structuredClone', () => {
  test('data of every kind is copied', async () => {
    expect(
      await realm.value(
        `const from = { n: 1, s: 'x', u: undefined, b: 1n, d: new Date(5), r: /a/gi, m: new Map([[{ k: 1 }, new Set([1, [2]])]]), a: [1, , 3], t: new Uint16Array([1, 2]), v: new DataView(new ArrayBuffer(4), 1), box: [Object(true), Object(1), Object('s'), Object(2n)], nul: null };
       const to = structuredClone(from); const [[key, set]] = to.m;
       return [Object.keys(to).length, to.n, to.s, 'u' in to, to.b === 1n, to.d instanceof Date && +to.d, String(to.r), key.k, [...set].length, to.a.length, 1 in to.a, to.t instanceof Uint16Array && [...to.t], to.v.byteLength,
         to.box.map((x) => typeof x + x), to !== from && to.m !== from.m && to.t.buffer !== from.t.buffer, to.nul]`,
      ),
    ).toEqual([
      12,
      1,
      'x',
      true,
      true,
      5,
      '/a/gi',
      1,
      2,
      3,
      false,
      [1, 2],
      3,
      ['objecttrue', 'object1', 'objects', 'object2'],
      true,
      null,
    ]);
  });

  test('shared and circular references are preserved', async () => {
    expect(
      await realm.value(
        `const a = { }; a.self = a; a.list = [a]; a.map = new Map([[a, a]]); a.set = new Set([a]); const b = new ArrayBuffer(4); a.views = [new Uint8Array(b), new Int8Array(b, 1, 2)]; const e = new Error('x'); e.cause = a; a.error = e;
       const c = structuredClone(a); c.views[0][1] = 7;
       return [c.self === c, c.list[0] === c, [...c.map][0][0] === c, c.set.has(c), c.views[1][0], c.views[1].length, c.error.cause === c, b.byteLength]`,
      ),
    ).toEqual([true, true, true, true, 7, 2, true, 4]);
  });

  test('errors keep their standard class, message and cause', async () => {
    expect(
      await realm.value(
        `class Mine extends TypeError { name = 'Mine' } const r = structuredClone(new RangeError('r', { cause: new TypeError('t') })); const m = structuredClone(new Mine('m'));
       return [r instanceof RangeError, r.message, r.cause instanceof TypeError, Object.getPrototypeOf(m) === Error.prototype, m.name, m.message]`,
      ),
    ).toEqual([true, 'r', true, true, 'Error', 'm']);
  });

  test('other values are refused with a DataCloneError', async () => {
    for (const value of [
      '() => {}',
      'Symbol()',
      '[class {}]',
      'new Map([[1, Symbol()]])',
      'Promise.resolve()',
      'new WeakMap()',
      'new WeakSet()',
      '{ f() {} }',
      'Object(Symbol())',
    ]) {
      expect((await realm.failure(`structuredClone(${value})`)).name).toBe('DataCloneError');
    }
    expect((await realm.failure('structuredClone()')).name).toBe('TypeError');
  });

  test('prototypes and accessors are not copied', async () => {
    expect(
      await realm.value(
        `class P { a = 1; get b() { return 2 } } let n = 0; const c = structuredClone(new P()); const g = structuredClone({ get x() { n++; return 1 } }); const p = structuredClone(JSON.parse('{"__proto__":{"y":1}}'));
       return [Object.getPrototypeOf(c) === Object.prototype, 'b' in c, g, n, Object.keys(p), p.y === undefined]`,
      ),
    ).toEqual([true, false, { x: 1 }, 1, ['__proto__'], true]);
  });

  test('methods of a hostile object do not affect its copy', async () => {
    expect(
      await realm.value(
        `let ran = 0; class SlyMap extends Map { forEach() { ran++ } entries() { ran++; return [] } get size() { ran++; return 0 } [Symbol.iterator]() { ran++ } }
       class SlyBytes extends Uint8Array { static get [Symbol.species]() { ran++; return Array } get buffer() { ran++; return 1 } slice() { ran++ } } class SlyDate extends Date { getTime() { ran++; return 1 } valueOf() { ran++; return 1 } }
       const bytes = new SlyBytes(2); const own = (o, value) => Object.defineProperty(o, 'constructor', { value }); own(bytes, Array); const buffer = own(new ArrayBuffer(2), { [Symbol.species]: class { constructor() { ran++ } } });
       const c = structuredClone([new SlyMap([[1, 2]]), bytes, new SlyDate(9), buffer]);
       return [c[0].get(1), c[1].length, c[1].constructor === Uint8Array, +c[2], c[3].byteLength, ran]`,
      ),
    ).toEqual([2, 2, true, 9, 2, 0]);
  });

  test('fake Maps, Dates and byte arrays are refused or copied as plain objects', async () => {
    expect(
      await realm.value(
        `const tell = (x) => { try { return JSON.stringify(structuredClone(x)) } catch (e) { return e.name } };
       return [tell({ [Symbol.toStringTag]: 'Map', a: 1 }), tell(Object.create(Map.prototype)), tell(Object.create(Date.prototype)), tell(Object.create(Uint8Array.prototype)), tell(new Proxy(new Map(), {})), tell(new Proxy({ a: 1 }, {})), tell(new Proxy({}, { ownKeys() { throw new RangeError() } }))]`,
      ),
    ).toEqual(['{"a":1}', 'TypeError', 'TypeError', '{}', 'TypeError', '{"a":1}', 'RangeError']);
  });

  test('endless nesting throws a RangeError, and the guest continues', async () => {
    expect(
      await realm.value(
        `let deep = {}; for (let i = 0; i < 1e6; i++) deep = { deep }; try { structuredClone(deep) } catch (e) { return e.name }`,
      ),
    ).toBe('RangeError');
  });
});
