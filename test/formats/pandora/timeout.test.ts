import { describe, expect, test } from 'vitest';
import { readTimeout } from '../../../src/formats/pandora/tool.js';

const read = (value: unknown, max = 120_000): { ms: number; problems: string[] } => {
  const problems: string[] = [];
  const ms = readTimeout(value, max, (problem) => problems.push(problem));
  return { ms, problems };
};

describe('the timeout of a Pandora tool', () => {
  test.each([undefined, null])('is one minute by default: %s', (value) => {
    expect(read(value)).toEqual({ ms: 60_000, problems: [] });
  });

  test('is cut from one minute to the host’s maximum', () => {
    expect(read(undefined, 5_000)).toEqual({ ms: 5_000, problems: [] });
  });

  test.each([
    [1, 1],
    [0.5, 1],
    [1500.2, 1501],
    [120_000, 120_000],
  ])('reads %s ms as %s ms', (value, ms) => {
    expect(read(value)).toEqual({ ms, problems: [] });
  });

  test.each([120_001, 2 ** 31, Number.MAX_VALUE, Infinity, 'Infinity'])(
    'is cut from %s to the host’s maximum, with a problem',
    (value) => {
      expect(read(value)).toEqual({
        ms: 120_000,
        problems: ['timeout: is more than the host allows; the tool gets 120000 ms'],
      });
    },
  );

  test.each([0, -1, -0, Number.NaN, 'NaN', '-Infinity', '5000', true, {}, []])(
    'is not valid and is reported if it is %s',
    (value) => {
      expect(read(value)).toEqual({
        ms: 60_000,
        problems: ['timeout: must be a number of milliseconds above 0; the tool gets 60000 ms'],
      });
    },
  );
});
