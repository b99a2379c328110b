import { expect, it } from 'vitest';
import { parseExpectations, readExpectations } from '../../../src/cli/hostile/expectations.js';

const parse = (value: unknown) => parseExpectations(value, 'villain', '/villain/expect.json');

it('a plugin that says nothing of itself is a category of its own', async () => {
  const readFile = (): Promise<string> => Promise.reject(new Error('no such file'));
  const { all, serves, refused, attempts } = await readExpectations('v', '/v', { readFile });
  expect({ all, serves, refused, attempts: [...attempts] }).toEqual({
    all: { category: 'v' },
    serves: [],
    refused: undefined,
    attempts: [],
  });
});

it('what is said of all attempts holds for each, unless it says otherwise', () => {
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

it.each([[[]], ['text'], [{ attempts: { a: 1 } }], [{ attempts: [] }]])(
  'what is no such object is a mistake, not an expectation of nothing: %j',
  (value) => {
    expect(() => parse(value)).toThrow('/villain/expect.json');
  },
);
