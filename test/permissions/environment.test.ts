import { describe, expect, test } from 'vitest';
import { environment } from '../../src/permissions/environment.js';
import { variableText } from './arbitraries.js';
import { testLaws } from './laws.js';

describe('environment', () => {
  testLaws(environment, variableText);

  test('a variable covers itself alone, to the letter', () => {
    expect(environment.covers('HOME', 'HOME')).toBe(true);
    expect(environment.covers('HOME', 'home')).toBe(false);
    expect(environment.covers('AWS', 'AWS_SECRET')).toBe(false);
  });

  test.each(['*', 'AWS_*'])('a pattern is refused: %s', (text) => {
    expect(() => environment.parse(text)).toThrow(/Name each variable/);
  });

  test.each(['', 'A B', '1ST', 'A=B', 'A-B', 'A\0', 'A\n', 'é', 'x'.repeat(256), '__proto__'])(
    'what is no portable name is refused: %j',
    (text) => {
      expect(() => environment.parse(text)).toThrow(/is no environment permission/);
    },
  );

  test('a person reads the name', () => {
    expect(environment.explain('API_KEY')).toBe('Read the environment variable API_KEY.');
  });
});
