import { describe, expect, test } from 'vitest';
import { makeDenial } from '../../../sandbox/endowments/denial.js';
import {
  explainRefused,
  explainWithheld,
  standInFor,
} from '../../../sandbox/endowments/withheld.js';

const withheld = ['fetch', 'env', 'readFile', 'Intl'];
const denial = makeDenial({ id: 'weather', manifest: 'package.json' });

function codeOf(error: unknown, names = withheld, hasTime = false): unknown {
  const found = explainWithheld(error, { withheldNames: names, hasTime }, denial);
  return found === undefined ? undefined : Reflect.get(found, 'code');
}

describe('errors over withheld globals', () => {
  test('an error over an absent global names its permission', () => {
    expect(codeOf(new TypeError('fetch is not a function'))).toBe('NETWORK_DENIED');
    expect(codeOf(new ReferenceError('fetch is not defined'))).toBe('NETWORK_DENIED');
    expect(codeOf(new TypeError('globalThis.fetch is not a function'))).toBe('NETWORK_DENIED');
    expect(codeOf(new TypeError('(0 , fetch) is not a function'))).toBe('NETWORK_DENIED');
    expect(codeOf(new TypeError('readFile is not a function'))).toBe('FILESYSTEM_DENIED');
    expect(codeOf(new TypeError('secure mode Calling %SharedDate%.now() throws'))).toBe(
      'TIME_DENIED',
    );
  });

  test('an error with another cause is not explained', () => {
    expect(codeOf(new TypeError('fetch is not a function'), [])).toBeUndefined();
    expect(codeOf(new TypeError('api.fetch is not a function'))).toBeUndefined();
    expect(codeOf(new TypeError('foo is not a function'))).toBeUndefined();
    expect(codeOf(new Error('fetch is not a function'))).toBeUndefined();
    expect(
      codeOf(new TypeError("Cannot read properties of undefined (reading 'get')")),
    ).toBeUndefined();
    expect(codeOf(new TypeError('toString is not a function'))).toBeUndefined();
    expect(
      codeOf(new TypeError('secure mode Calling %SharedDate%.now() throws'), withheld, true),
    ).toBeUndefined();
  });

  test('what was refused as Node refuses it has the code of its denial', () => {
    const code = (syscall: string): unknown =>
      explainRefused(Object.assign(new Error('no'), { code: 'EACCES', syscall }));
    expect(code('access')).toMatchObject({ code: 'FILESYSTEM_DENIED' });
    expect(code('connect')).toMatchObject({ code: 'NETWORK_DENIED' });
    expect(code('spawn sh')).toMatchObject({ code: 'BUILTIN_DENIED' });
    expect(code('other')).toBeUndefined();
  });

  test('any thrown value is accepted', () => {
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
});

describe('the value of a withheld global in bundled code', () => {
  test('a function that answers later rejects with the denial', async () => {
    const fetch = standInFor('fetch', withheld, denial);
    expect(typeof fetch).toBe('function');
    await expect(Reflect.apply(fetch as never, undefined, ['https://a.test/'])).rejects.toThrow(
      'weather may not use the network (fetch https://a.test/)',
    );
  });

  test('any other withheld global throws the denial', () => {
    expect(() => standInFor('env', withheld, denial)).toThrow('read environment variables (env)');
  });

  test('a name that is not withheld has none', () => {
    expect(standInFor('fetch', [], denial)).toBeUndefined();
    expect(standInFor('missing', withheld, denial)).toBeUndefined();
  });
});
