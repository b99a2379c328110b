import { describe, expect, it } from 'vitest';
import type { Json } from '../../../sandbox/wire/messages.js';
import { parseExpectations, readExpectations } from '../../../src/cli/hostile/plugins.js';

const parse = (value: Json) => parseExpectations(value, 'hostile', '/hostile/expect.json');

describe('the expectations of a hostile plugin', () => {
  it('are a category of its own if the plugin has no file of them', async () => {
    const readFile = (): Promise<string> => Promise.reject(new Error('no such file'));
    const { all, serves, refused, attempts } = await readExpectations('v', '/v', { readFile });
    expect({ all, serves, refused, attempts: [...attempts] }).toEqual({
      all: { category: 'v' },
      serves: [],
      refused: undefined,
      attempts: [],
    });
  });

  it('for all attempts apply to each, unless an attempt overrides them', () => {
    const { attempts } = parse({
      category: 'network',
      timeoutMs: 500,
      attempts: { a: { codes: ['NETWORK_DENIED'] }, b: { category: 'files', timeoutMs: 9 } },
    });
    expect(Object.fromEntries(attempts)).toEqual({
      a: { category: 'network', timeoutMs: 500, codes: ['NETWORK_DENIED'] },
      b: { category: 'files', timeoutMs: 9 },
    });
  });

  it('allow one value or one of several', () => {
    const { attempts } = parse({
      attempts: { one: { got: [1] }, several: { gotOneOf: [1, null] } },
    });
    expect(attempts.get('one')?.gots).toEqual([[1]]);
    expect(attempts.get('several')?.gots).toEqual([1, null]);
  });

  it.each([[[]], ['text'], [{ attempts: { a: 1 } }], [{ attempts: [] }]])(
    'are an error if they are not a valid object: %j',
    (value) => {
      expect(() => parse(value)).toThrow('/hostile/expect.json');
    },
  );
});
