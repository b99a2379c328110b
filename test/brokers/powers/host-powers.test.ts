import { describe, expect, it } from 'vitest';
import { type PowerDefinition, readPowers } from '../../../src/brokers/powers/host-powers.js';
import { ownCompiler } from '../../../src/engine/node/process-defaults.js';
import { echo } from './lender.js';

describe('a host’s definitions', () => {
  it.each<[string, Partial<Record<keyof PowerDefinition, unknown>>]>([
    ['powers[0].name', { name: '__proto__' }],
    ['powers[0].name', { name: 'then' }],
    ['powers[0].name', { name: 'toJSON' }],
    ['powers[0].name', { name: 1 }],
    ['powers[0].permission', { permission: '' }],
    ['powers[0].handler', { handler: 'echo' }],
    ['powers[0].risk', { risk: 'none' }],
    ['powers[0].timeoutMs', { timeoutMs: 0 }],
    ['powers[0].arguments', { arguments: { type: 'strng' } }],
    ['powers[0].result', { result: { $ref: '#/gone' } }],
  ])('that cannot be used are refused by their place: %s', (option, wrong) => {
    const definitions = [{ ...echo, ...wrong }] as never;
    expect(() => readPowers(definitions, ownCompiler)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', details: { option } }),
    );
  });

  it('of one name twice are refused', () => {
    expect(() => readPowers([echo, echo], ownCompiler)).toThrow(
      /powers\[1\]\.name takes names that differ/,
    );
  });

  it('say what the worst under a permission can do, and what they are', () => {
    const lent = readPowers(
      [
        {
          ...echo,
          name: 'chats.read',
          permission: 'chats',
          risk: 'low',
          description: 'Reads chats.',
        },
        {
          ...echo,
          name: 'chats.clear',
          permission: 'chats',
          risk: 'high',
          description: 'Empties one.',
        },
        echo,
      ],
      ownCompiler,
    );
    expect(lent.riskOf('chats')).toBe('high');
    expect(lent.riskOf('echo')).toBe('medium');
    expect(lent.riskOf('chats.read')).toBeUndefined();
    expect(lent.describe('chats')).toEqual(['Reads chats.', 'Empties one.']);
  });
});
