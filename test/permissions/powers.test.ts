import { describe, expect, test } from 'vitest';
import { powers } from '../../src/permissions/powers.js';
import { powerText } from './arbitraries.js';
import { testLaws } from './laws.js';

describe('powers', () => {
  testLaws(powers, powerText);

  test.each(['generation', 'chat_mutation', 'providers.tts.register', 'A', 'x'.repeat(64)])(
    '%s is a valid name',
    (name) => {
      expect(powers.format(powers.parse(name))).toBe(name);
    },
  );

  test.each(['', '1a', '_a', '__proto__', 'a b', 'a/b', 'a:b', 'é', 'a\n', 'x'.repeat(65)])(
    '%j is refused',
    (name) => {
      expect(() => powers.parse(name)).toThrow(/a power has a name of at most 64/);
    },
  );

  test('a pattern is refused', () => {
    expect(() => powers.parse('chats.*')).toThrow(/Name each power/);
  });

  test('a name covers only itself', () => {
    expect(powers.covers('chats', 'chats')).toBe(true);
    expect(powers.covers('chats', 'chats.read')).toBe(false);
    expect(powers.attenuate('chats', 'chats.read')).toBeUndefined();
  });
});
