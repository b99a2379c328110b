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
