import { beforeAll, describe, expect, it } from 'vitest';
import { type Extension, running, startExtension } from '../dialects/spindle/host.js';

const expressions: readonly (readonly [name: string, expression: string, answer: unknown])[] = [
  [
    'Promise.withResolvers',
    `(async () => { const { promise, resolve } = Promise.withResolvers(); resolve(7); return promise; })()`,
    7,
  ],
  ['Promise.try', `Promise.try((a) => a + 1, 1)`, 2],
  [
    'Promise.try of what throws',
    `Promise.try(() => { throw new Error('x') }).catch((error) => error.message)`,
    'x',
  ],
  [
    'Object.groupBy',
    `Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))`,
    { odd: [1, 3], even: [2] },
  ],
  [
    'Map.groupBy',
    `[...Map.groupBy([1, 2, 3], (n) => n > 1)]`,
    [
      [false, [1]],
      [true, [2, 3]],
    ],
  ],
  [
    'Array.fromAsync',
    `Array.fromAsync((async function* () { yield 1; yield 2; })(), (n) => n * 2)`,
    [2, 4],
  ],
  [
    'Array.fromAsync of a list',
    `Array.fromAsync({ length: 2, 0: 'a', 1: Promise.resolve('b') })`,
    ['a', 'b'],
  ],
  ['Set union', `[...new Set([1, 2]).union(new Set([2, 3]))]`, [1, 2, 3]],
  ['Set intersection', `[...new Set([1, 2]).intersection(new Map([[2, 0]]))]`, [2]],
  ['Set difference', `[...new Set([1, 2]).difference(new Set([2]))]`, [1]],
  ['Set symmetricDifference', `[...new Set([1, 2]).symmetricDifference(new Set([2, 3]))]`, [1, 3]],
  [
    'Set relations',
    `[new Set([1]).isSubsetOf(new Set([1, 2])), new Set([1, 2]).isSupersetOf(new Set([1])), new Set([1]).isDisjointFrom(new Set([2])), new Set([1, 3]).isSubsetOf(new Set([1, 2]))]`,
    [true, true, true, false],
  ],
  [
    'Map getOrInsert',
    `[new Map([[1, 'a']]).getOrInsert(1, 'b'), new Map().getOrInsert(1, 'b'), new Map([[1, undefined]]).getOrInsert(1, 'b') === undefined]`,
    ['a', 'b', true],
  ],
  [
    'WeakMap getOrInsertComputed',
    `(() => { const [map, key, calls] = [new WeakMap(), {}, []]; const make = () => calls.push(1); return [map.getOrInsertComputed(key, make), map.getOrInsertComputed(key, make), calls.length]; })()`,
    [1, 1, 1],
  ],
  [
    'Math.sumPrecise',
    `[Math.sumPrecise([0.1, 0.2, 0.3]), Math.sumPrecise([1e20, 0.1, -1e20])]`,
    [0.6, 0.1],
  ],
  [
    'Math.sumPrecise of values without a sum',
    `[Math.sumPrecise([Infinity, 1]) === Infinity, Object.is(Math.sumPrecise([]), -0), Number.isNaN(Math.sumPrecise([Infinity, -Infinity]))]`,
    [true, true, true],
  ],
  [
    'base64 of bytes',
    `[new Uint8Array([251, 255]).toBase64(), new Uint8Array([251, 255]).toBase64({ alphabet: 'base64url', omitPadding: true }), [...Uint8Array.fromBase64('+/8=')], [...Uint8Array.fromBase64('-_8', { alphabet: 'base64url' })]]`,
    ['+/8=', '-_8', [251, 255], [251, 255]],
  ],
  [
    'hexadecimal text of bytes',
    `[new Uint8Array([0, 171]).toHex(), [...Uint8Array.fromHex('00aB')]]`,
    ['00ab', [0, 171]],
  ],
  [
    'bytes written into an array',
    `(() => { const bytes = new Uint8Array(3); return [bytes.setFromBase64('AQID BAUG'.slice(0, 4)), bytes.setFromHex('0a0b'), [...bytes]]; })()`,
    [{ read: 4, written: 3 }, { read: 4, written: 2 }, [10, 11, 3]],
  ],
  [
    'malformed text of bytes',
    `['A', '====', 'A$==', 'AA='].map((text) => { try { return Uint8Array.fromBase64(text).length } catch (error) { return error.name } }).concat(['0', 'zz'].map((text) => { try { return Uint8Array.fromHex(text).length } catch (error) { return error.name } }))`,
    Array.from({ length: 6 }, () => 'SyntaxError'),
  ],
  [
    'frozen all the same',
    `[Promise.withResolvers, Object.groupBy, Set.prototype.union, Array.fromAsync].map((f) => [Object.isFrozen(f), f.name, 'prototype' in f, f.constructor === Object.constructor])`,
    ['withResolvers', 'groupBy', 'union', 'fromAsync'].map((name) => [true, name, false, true]),
  ],
];

describe('the language that a plugin finds, whatever Node its host has', () => {
  let extension: Extension;
  beforeAll(async () => {
    const cases = expressions.map(([, expression]) => `async () => (${expression})`);
    extension = await startExtension(
      `const all = [${cases.join(',\n')}]; ${running('all[args.index]()')}`,
    );
  });

  it.each(expressions.map(([name, , answer], index) => [name, index, answer] as const))(
    'has %s',
    async (_, index, answer) => {
      const text = await extension.call('run', { index });
      expect(typeof text === 'string' ? JSON.parse(text) : text).toEqual(answer);
    },
  );
});
