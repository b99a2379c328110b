import { describe, expect, test } from 'vitest';
import { environment } from '../../src/permissions/environment.js';
import { variableText } from './arbitraries.js';
import { testLaws } from './laws.js';

describe('environment', () => {
  testLaws(environment, variableText);

  test('a variable covers only itself, case-sensitively', () => {
    expect(environment.covers('HOME', 'HOME')).toBe(true);
    expect(environment.covers('HOME', 'home')).toBe(false);
    expect(environment.covers('AWS', 'AWS_SECRET')).toBe(false);
  });

  test.each(['*', 'AWS_*'])('a pattern is refused: %s', (text) => {
    expect(() => environment.parse(text)).toThrow(/Name each variable/);
  });

  test.each(['', 'A B', '1ST', 'A=B', 'A-B', 'A\0', 'A\n', 'é', 'x'.repeat(256), '__proto__'])(
    'a name that is not portable is refused: %j',
    (text) => {
      expect(() => environment.parse(text)).toThrow(/is not a valid env permission/);
    },
  );

  test('the explanation names the variable', () => {
    expect(environment.explain('API_KEY')).toBe('Read the environment variable API_KEY.');
  });
});
