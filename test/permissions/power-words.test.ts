import { describe, expect, test } from 'vitest';
import { SPINDLE_PERMISSIONS } from '../../src/formats/spindle/permissions.js';
import { powers } from '../../src/permissions/powers.js';
import { powerWords } from '../../src/permissions/power-words.js';

const CLIENT = ['elicitation', 'sampling', 'roots'];

describe('the table of permissions of plugin systems', () => {
  test('describes every permission of Spindle, of saved programs and of MCP servers, and no other name', () => {
    expect([...powerWords.keys()].toSorted()).toEqual(
      ['call_tools', 'spindle', ...CLIENT, ...SPINDLE_PERMISSIONS].toSorted(),
    );
    expect(new Set(powerWords.values()).size).toBe(powerWords.size);
    expect(powers.explain('interceptor')).toBe('Read and change every prompt before it is sent.');
    expect(powers.explain('conversations')).toBe('Use conversations, which the host provides.');
  });
});
