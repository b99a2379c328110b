import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeError } from '../../sandbox/describe-error.js';

const stackOf = (error: Error): string => `stack of ${error.name}`;

describe('describeError', () => {
  test('returns the name, message, code and real stack of an error', () => {
    const error = Object.assign(new RangeError('too far'), { code: 'NETWORK_DENIED' });
    expect(describeError(error, stackOf)).toEqual({
      name: 'RangeError',
      message: 'too far',
      code: 'NETWORK_DENIED',
      stack: 'stack of RangeError',
    });
  });

  test('drops a code that is not one of the wire’s', () => {
    expect(
      describeError(Object.assign(new Error('x'), { code: 'ENOENT' }), stackOf),
    ).not.toHaveProperty('code');
  });

  test('describes any other thrown value', () => {
    const said = (thrown: unknown): string => describeError(thrown, stackOf).message;
    expect(said('just text')).toBe('just text');
    expect(said(null)).toBe('The plugin threw null instead of an error.');
    expect(said(undefined)).toBe('The plugin threw undefined instead of an error.');
    expect(said(42)).toBe('42');
    expect(said(Symbol('s'))).toBe('Symbol(s)');
    expect(said({ message: 'like an error' })).toBe('like an error');
    expect(said({ a: 1 })).toBe('{ a: 1 }');
    expect(said([1, 2])).toBe('[ 1, 2 ]');
  });

  test('describes an object whose properties throw', () => {
    const trap = (): never => {
      throw new Error('trap');
    };
    const traps = {
      get: trap,
      has: trap,
      ownKeys: trap,
      getPrototypeOf: trap,
      getOwnPropertyDescriptor: trap,
    };
    for (const hostile of [
      new Proxy({}, traps),
      new Proxy(new Error('x'), traps),
      new Proxy(() => {}, traps),
    ]) {
      expect(describeError(hostile, stackOf)).toEqual({ name: 'Error', message: '<unreadable>' });
    }
    const getters = Object.defineProperties(new Error('x'), {
      name: { get: trap },
      message: { get: trap },
      code: { get: trap },
    });
    expect(describeError(getters, trap)).toEqual({ name: 'Error', message: '' });
    expect(
      describeError(
        Object.assign(new Error('x'), { name: 5, message: { toString: trap } }),
        stackOf,
      ),
    ).toMatchObject({ name: 'Error', message: '' });
  });

  test('cuts texts to the wire’s limits', () => {
    const error = Object.assign(new Error('m'.repeat(1e6)), { name: 'n'.repeat(1e6) });
    const { name, message, stack } = describeError(error, () => 's'.repeat(1e6));
    expect([name.length, message.length, stack?.length]).toEqual([
      201,
      8 * 1024 + 1,
      16 * 1024 + 1,
    ]);
  });

  test('reads each property once', () => {
    const reads: PropertyKey[] = [];
    const error = new Proxy(new Error('x'), {
      get: (target, key) => {
        reads.push(key);
        return Reflect.get(target, key);
      },
    });
    describeError(error, () => '');
    expect(new Set(reads).size).toBe(reads.length);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }),
        (thrown) => {
          expect(typeof describeError(thrown, stackOf).message).toBe('string');
        },
      ),
    );
  });
});
