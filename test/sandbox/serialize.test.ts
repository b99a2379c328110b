import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serialize } from '../../sandbox/serialize.js';
import { processorMs } from '../processor-time.js';

const limits = { maxResultBytes: 100_000, maxResultDepth: 50, maxResultNodes: 10_000 };

function refusal(value: unknown, more: Partial<typeof limits> = {}): unknown {
  try {
    return `made ${serialize(value, { ...limits, ...more })}`;
  } catch (error) {
    return error instanceof Error ? [Reflect.get(error, 'code'), error.message] : 'not an error';
  }
}

describe('serialize', () => {
  test('returns the same as JSON.stringify for any JSON value', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withDate: true,
          withBoxedValues: true,
          withNullPrototype: true,
          withSparseArray: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
        }),
        (value) => {
          expect(serialize(value, limits)).toBe(JSON.stringify(value) ?? 'null');
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(serialize({ [text]: [text] }, limits)).toBe(JSON.stringify({ [text]: [text] }));
      }),
    );
  });

  test('drops or nulls values that JSON does not have', () => {
    const value = {
      f: () => {},
      u: undefined,
      s: Symbol('s'),
      list: [undefined, () => {}, Symbol('t'), NaN, Infinity, -0],
      [Symbol('k')]: 1,
    };
    expect(serialize(value, limits)).toBe('{"list":[null,null,null,null,null,0]}');
    for (const nothing of [undefined, () => {}, Symbol('s'), null])
      expect(serialize(nothing, limits)).toBe('null');
  });

  test('calls toJSON once, with its key, and does not call that of the result', () => {
    const calls: unknown[] = [];
    const value = {
      date: new Date(0),
      own: {
        toJSON(key: unknown): unknown {
          calls.push(key);
          return { toJSON: () => 'never', a: 1 };
        },
      },
      list: [{ toJSON: (key: unknown) => key }],
      gone: { toJSON: () => undefined },
    };
    expect(serialize(value, limits)).toBe(
      '{"date":"1970-01-01T00:00:00.000Z","own":{"a":1},"list":["0"]}',
    );
    expect(calls).toEqual(['own']);
  });

  test('reads each property once', () => {
    const reads: PropertyKey[] = [];
    const watched = new Proxy(
      { a: 1, b: [2] },
      {
        get: (target, key) => {
          reads.push(key);
          return Reflect.get(target, key);
        },
      },
    );
    serialize(watched, limits);
    expect(reads).toEqual(['toJSON', 'a', 'b']);
  });

  test('drops prototypes and classes', () => {
    class Point {
      x = 1;
      get y(): number {
        return 2;
      }
    }
    expect(
      serialize(
        [
          new Point(),
          Object.create({ inherited: 1 }),
          new Map([[1, 2]]),
          new Set([1]),
          /x/,
          new Error('e'),
        ],
        limits,
      ),
    ).toBe('[{"x":1},{},{},{},{},{}]');
  });

  test('refuses a circle, but not a shared value', () => {
    const circle: Record<string, unknown> = { deep: { list: [] } };
    circle['deep'] = { list: [circle] };
    expect(refusal(circle)).toEqual([
      'RESULT_INVALID',
      'The result is circular: deep.list[0] is the whole of it again',
    ]);
    const shared = { x: 1 };
    expect(serialize([shared, shared], limits)).toBe('[{"x":1},{"x":1}]');
  });

  test('refuses a BigInt', () => {
    for (const [value, place] of [
      [1n, ''],
      [[1n], ' at [0]'],
      [Object(1n), ''],
      [{ rows: [{ id: 1 }, { id: 2n }] }, ' at rows[1].id'],
      [{ 'a b': Object(1n) }, ' at ["a b"]'],
      [{ long: { ['k'.repeat(300)]: 1n } }, ` at long["${'k'.repeat(154)}…`],
    ] as const) {
      expect(refusal(value)).toEqual([
        'RESULT_INVALID',
        `The result contains a BigInt${place}, which JSON does not have`,
      ]);
    }
  });

  test('refuses a value whose properties throw, with the thrown message', () => {
    const boom = (): never => {
      throw new RangeError('boom');
    };
    const strange = (thrown: unknown) => ({
      get a(): never {
        throw thrown;
      },
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const value of [
      strange(new Error('boom')),
      { toJSON: boom },
      new Proxy({}, { ownKeys: boom }),
      new Proxy([], { get: boom }),
      [new Proxy({}, { getPrototypeOf: boom })],
      strange('boom'),
      strange({ message: 'boom' }),
    ]) {
      expect(refusal(value)).toEqual(['RESULT_INVALID', 'The result cannot be read: boom']);
    }
    for (const value of [
      strange(null),
      strange(strange(1)),
      strange({
        get message(): never {
          throw new Error('again');
        },
      }),
    ]) {
      expect(refusal(value)).toEqual([
        'RESULT_INVALID',
        'The result cannot be read: it throws where it is read',
      ]);
    }
    expect(refusal(proxy)).toEqual(['RESULT_INVALID', expect.stringContaining('cannot be read')]);
  });

  test('stops even if the code catches the refusal', () => {
    const inner = { toJSON: () => 'x'.repeat(200) };
    const value = new Proxy(
      { a: inner },
      { get: (target, key) => (key === 'toJSON' ? undefined : Reflect.get(target, key)) },
    );
    expect(refusal(value, { maxResultBytes: 100 })).toEqual([
      'RESULT_TOO_LARGE',
      'The result is larger than 100 bytes of JSON at a',
    ]);
  });

  test('counts the size in bytes of UTF-8, exactly', () => {
    for (const value of [
      '',
      'ascii',
      'é✓😀\ud800"\n',
      { é: [1.5, true, null, 'x'], b: {} },
      [[], {}, [1, 2], { a: undefined, b: 1 }],
    ]) {
      const size = Buffer.byteLength(JSON.stringify(value));
      expect(refusal(value, { maxResultBytes: size })).toBe(`made ${JSON.stringify(value)}`);
      expect(refusal(value, { maxResultBytes: size - 1 })).toEqual([
        'RESULT_TOO_LARGE',
        expect.stringMatching(`^The result is larger than ${size - 1} bytes of JSON( at .+)?$`),
      ]);
    }
  });

  test('counts the depth in levels of arrays and objects', () => {
    let deep: unknown = [];
    for (let level = 1; level < 50; level += 1) deep = level % 2 === 0 ? [deep] : { deep };
    expect(refusal(deep)).toMatch(/^made /);
    expect(refusal([deep])).toEqual([
      'RESULT_TOO_LARGE',
      expect.stringMatching(/^The result is nested deeper than 50 levels at \[0\]\.deep\[0\]/),
    ]);
  });

  test('refuses nested shared arrays, an endless list and a sparse array quickly', () => {
    let dag: unknown = ['x'];
    for (let level = 0; level < 22; level += 1) dag = [dag, dag];
    const endless = new Proxy([], {
      get: (target, key) => (key === 'length' ? 2 ** 53 : Reflect.get(target, key)),
    });
    const sparse: unknown[] = [];
    sparse.length = 2 ** 32 - 1;
    const ms = processorMs(() => {
      for (const value of [dag, endless, sparse]) {
        expect(refusal(value)).toEqual([
          'RESULT_TOO_LARGE',
          expect.stringMatching(/^The result contains more than 10000 values( at \S+)?$/),
        ]);
      }
      expect(refusal('x'.repeat(2 ** 28))).toEqual([
        'RESULT_TOO_LARGE',
        'The result is larger than 100000 bytes of JSON',
      ]);
    });
    expect(ms).toBeLessThan(500);
  });

  test('reads an array with a false length up to that length', () => {
    const lying = (length: unknown): unknown =>
      new Proxy([1, 2], {
        get: (target, key) => (key === 'length' ? length : Reflect.get(target, key)),
      });
    expect(serialize(lying(1), limits)).toBe('[1]');
    expect(serialize(lying(NaN), limits)).toBe('[]');
    expect(serialize(lying(-5), limits)).toBe('[]');
    expect(serialize(lying('2'), limits)).toBe('[1,2]');
  });
});
