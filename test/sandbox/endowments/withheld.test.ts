import { expect, test } from 'vitest';
import { makeDenial } from '../../../sandbox/endowments/denial.js';
import { explainWithheld } from '../../../sandbox/endowments/withheld.js';

const withheld = ['fetch', 'Headers', 'Intl', 'performance', 'env', 'readFile'];
const denial = makeDenial({ id: 'weather', manifest: 'package.json' });

function codeOf(error: unknown, names: readonly string[] = withheld): unknown {
  const found = explainWithheld(error, names, denial);
  return found === undefined ? undefined : Reflect.get(found, 'code');
}

test('an error over an absent global is explained by the permission that would give it', () => {
  expect(codeOf(new TypeError('fetch is not a function'))).toBe('NETWORK_DENIED');
  expect(codeOf(new TypeError('Headers is not a constructor'))).toBe('NETWORK_DENIED');
  expect(codeOf(new ReferenceError('fetch is not defined'))).toBe('NETWORK_DENIED');
  expect(codeOf(new TypeError('globalThis.fetch is not a function'))).toBe('NETWORK_DENIED');
  expect(codeOf(new TypeError('(0 , fetch) is not a function'))).toBe('NETWORK_DENIED');
  expect(codeOf(new TypeError('readFile is not a function'))).toBe('FILESYSTEM_DENIED');
  expect(
    codeOf(new TypeError("Cannot read properties of undefined (reading 'DateTimeFormat')")),
  ).toBe('TIME_DENIED');
  expect(codeOf(new TypeError('secure mode Calling %SharedDate%.now() throws'))).toBe(
    'TIME_DENIED',
  );
});

test('an error that has another cause is not explained away', () => {
  expect(codeOf(new TypeError('fetch is not a function'), [])).toBeUndefined();
  expect(codeOf(new TypeError('api.fetch is not a function'))).toBeUndefined();
  expect(codeOf(new TypeError('foo is not a function'))).toBeUndefined();
  expect(codeOf(new Error('fetch is not a function'))).toBeUndefined();
  expect(
    codeOf(new TypeError("Cannot read properties of undefined (reading 'get')")),
  ).toBeUndefined();
  expect(codeOf(new TypeError('toString is not a function'))).toBeUndefined();
  expect(
    codeOf(new TypeError('secure mode Calling %SharedDate%.now() throws'), ['fetch']),
  ).toBeUndefined();
});

test('anything may be thrown at it', () => {
  const trap = (): never => {
    throw new Error('trap');
  };
  const hostile = new Proxy(new TypeError('fetch is not a function'), {
    getPrototypeOf: trap,
    getOwnPropertyDescriptor: trap,
  });
  const getter = Object.defineProperty(new TypeError('x'), 'message', { get: trap });
  for (const thrown of [
    hostile,
    getter,
    null,
    undefined,
    'fetch is not a function',
    1,
    Symbol('x'),
  ]) {
    expect(codeOf(thrown)).toBeUndefined();
  }
});
