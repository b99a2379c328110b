import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyPlain, isSamePlain } from '../../../sandbox/wire/plain.js';

const json = fc.jsonValue({ maxDepth: 4 });

/** What a host or a plugin may put among its data. */
const leaf = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  -0,
  Number.NaN,
  'a',
  '',
  false,
  new Date(0),
  new Date(1),
  Object('a'),
  () => {},
  Symbol('s'),
  Object.create(null),
  new Map([[1, 2]]),
  { toJSON: () => 'a' },
  { toJSON: () => 'b' },
  Object.defineProperty({}, 'toJSON', { value: () => 0 }),
  Object.defineProperty({}, 'hidden', { value: 1 }),
  JSON.parse('{"__proto__":1}'),
  JSON.parse('{"__proto__":{"a":1}}'),
);
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 2 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom('a', 'b'), tie('value')), {
        maxLength: 2,
        selector: ([key]) => key,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

describe('plain data', () => {
  it('equals its copy, also one parsed elsewhere', () => {
    fc.assert(
      fc.property(json, (value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        const copy = copyPlain(parsed);
        expect(copy).toStrictEqual(parsed);
        expect(isSamePlain(copy, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
    );
  });

  it('has the same JSON as any equal copy', () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        const same = isSamePlain(copyPlain(one), other);
        if (same) expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each<[string, unknown, unknown]>([
    ['the same properties in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a text in a box', { 0: 'a' }, Object('a')],
    ['more of it', [1], [1, 2]],
    ['less of it', { a: 1, b: 2 }, { a: 1 }],
    ['a list', {}, []],
    ['what writes itself', { a: 1 }, { a: 1, __proto__: { toJSON: () => 2 } }],
  ])('does not equal a copy with %s', (_, one, other) => {
    expect(isSamePlain(copyPlain(one), other)).toBe(false);
    expect(isSamePlain(copyPlain(other), one)).toBe(false);
  });

  it('shares no object with its copy', () => {
    const value = { list: [{ text: 'a' }], of: { more: 1 } };
    const copy = copyPlain(value);
    value.list[0] = { text: 'b' };
    value.of.more = 2;
    expect(copy).toEqual({ list: [{ text: 'a' }], of: { more: 1 } });
  });

  it('copies an own `__proto__` as a property, never as a prototype', () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
  });
});
