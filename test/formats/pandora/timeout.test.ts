import { expect, test } from 'vitest';
import { readTimeout } from '../../../src/formats/pandora/timeout.js';

const read = (value: unknown, max = 120_000): { ms: number; problems: string[] } => {
  const problems: string[] = [];
  const ms = readTimeout(value, max, (problem) => problems.push(problem));
  return { ms, problems };
};

test.each([undefined, null])('a tool that does not say gets a minute: %s', (value) => {
  expect(read(value)).toEqual({ ms: 60_000, problems: [] });
});

test('a minute is cut to what the host allows', () => {
  expect(read(undefined, 5_000)).toEqual({ ms: 5_000, problems: [] });
});

test.each([
  [1, 1],
  [0.5, 1],
  [1500.2, 1501],
  [120_000, 120_000],
])('%s ms are %s ms', (value, ms) => {
  expect(read(value)).toEqual({ ms, problems: [] });
});

test.each([120_001, 2 ** 31, Number.MAX_VALUE, Infinity, 'Infinity'])(
  '%s is cut to what the host allows, and said',
  (value) => {
    expect(read(value)).toEqual({
      ms: 120_000,
      problems: ['timeout: is more than the host allows; it gets 120000 ms'],
    });
  },
);

test.each([0, -1, -0, Number.NaN, 'NaN', '-Infinity', '5000', true, {}, []])(
  '%s is no time, and said',
  (value) => {
    expect(read(value)).toEqual({
      ms: 60_000,
      problems: ['timeout: must be a number of milliseconds above 0; it gets 60000 ms'],
    });
  },
);
