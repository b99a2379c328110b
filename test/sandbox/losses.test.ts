import { describe, expect, it } from 'vitest';
import { makeLosses } from '../../sandbox/losses.js';
import { serialize } from '../../sandbox/serialize.js';

const limits = { maxResultBytes: 100_000, maxResultDepth: 50, maxResultNodes: 10_000 };

function lossOf(value: unknown): string | undefined {
  const losses = makeLosses();
  serialize(value, limits, { losses });
  return losses.describe('R');
}

class Point {
  readonly x = 1;
}
class Secretive {
  readonly #inner = 1;
  readonly shown = 2;
  get inner(): number {
    return this.#inner;
  }
}

describe('the losses of a value in JSON', () => {
  it.each([
    [{ rows: [{ run: () => {} }] }, 'rows[0].run is a function (left out: return data)'],
    [() => {}, 'the value itself is a function'],
    [{ a: Symbol('s') }, 'a is a symbol'],
    [{ a: new Map([[1, 2]]) }, 'a is a Map (becomes {}: return Object.fromEntries(map)'],
    [[new Set([1])], '[0] is a Set (becomes {}: return [...set])'],
    [{ a: Promise.resolve(1) }, 'a is a Promise (becomes {}: await it)'],
    [new Error('gone'), 'the value itself is an Error'],
    [{ a: new Uint8Array(2) }, 'a is a Uint8Array (not bytes in JSON: return base64 text)'],
    [{ a: new ArrayBuffer(2) }, 'a is an ArrayBuffer (not bytes'],
    [{ a: /x/ }, 'a is a RegExp (only its own public fields'],
    [{ a: new Secretive() }, 'a is a Secretive (only its own public fields are in JSON'],
    [{ a: [1, undefined] }, 'a[1] is undefined (becomes null)'],
    [{ a: NaN }, 'a is NaN (becomes null)'],
    [[-Infinity], '[0] is -Infinity (becomes null)'],
  ])('names the place, the kind and the remedy: %#', (value, named) => {
    expect(lossOf(value)).toContain(`R is not plain data, so a part of it is lost: ${named}`);
  });

  it.each([
    [{ a: 1, b: [null, 'x', true], c: { d: undefined } }],
    [new Date(0)],
    [{ at: { toJSON: () => 'text' } }],
    [Object.assign(Object.create(null), { a: 1 })],
    [new Point()],
    [[Object(1), Object('x')]],
    [undefined],
  ])('are none for plain data: %#', (value) => {
    expect(lossOf(value)).toBeUndefined();
  });

  it('counts those past the third', () => {
    expect(lossOf([NaN, NaN, NaN, NaN, NaN])).toMatch(/\[2\] is NaN .*; and 2 more\.$/);
  });

  it('does not change what is written, and survives a hostile object', () => {
    const value = new Proxy(
      { a: 1 },
      {
        getPrototypeOf: () =>
          new Proxy(Object.create(null), {
            ownKeys: () => {
              throw new Error('no');
            },
          }),
      },
    );
    const losses = makeLosses();
    expect(serialize(value, limits, { losses })).toBe('{"a":1}');
    const named = {
      get constructor(): never {
        throw new Error('no');
      },
    };
    expect(lossOf(Object.create(named))).toContain('an object of a class');
  });
});
