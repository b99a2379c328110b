import { describe, expect, it } from 'vitest';
import type { CallClient } from '../../../src/plugin/call-client.js';
import type { McpPowers } from '../../../src/remotes/remote.js';
import { makeServerRequests } from '../../../src/remotes/mcp/server-requests.js';
import { callOf } from '../vertesia/server.js';

function requests(powers: McpPowers) {
  const asked: unknown[] = [];
  const answer = async (params: unknown): Promise<object> => {
    asked.push(params);
    return {};
  };
  const client = { elicit: answer, sample: answer } as unknown as CallClient;
  const one = { call: { ...callOf(), client }, sampled: 0 };
  return { asked, ...makeServerRequests('rich', powers, { current: () => one }) };
}

const form = (properties: object) => ({
  message: 'Hi',
  requestedSchema: { type: 'object', properties, required: ['a', 'b', 7] },
});

describe('the requests of an MCP server', () => {
  it('are refused if the operator did not allow them, also if the server sends them unasked', async () => {
    const { elicit, sample, roots, capabilities, asked } = requests({});
    expect(capabilities).toEqual({});
    await expect(elicit(form({}))).rejects.toThrow('"allow": { "elicitation": true }');
    await expect(sample({ messages: [] })).rejects.toThrow('"allow": { "sampling": true }');
    expect(roots()).toEqual({ roots: [] });
    expect(asked).toEqual([]);
  });

  it('ask the client’s user for simple fields, in visible characters', async () => {
    const { elicit, asked } = requests({ elicitation: true });
    await elicit(form({ a: { type: 'string', title: 'Pass\u202Eword' } }));
    expect(asked).toEqual([
      {
        mode: 'form',
        message: 'The tool server rich asks: "Hi"',
        requestedSchema: {
          type: 'object',
          properties: { a: { type: 'string', title: expect.stringContaining('\\u202e') } },
          required: ['a'],
        },
      },
    ]);
    await expect(elicit(form({ a: { type: 'object' } }))).rejects.toThrow('simple types');
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, {}]));
    await expect(elicit(form(many))).rejects.toThrow('at most 50 fields');
    await expect(elicit({ mode: 'url', message: '', url: 'https://a.test' })).rejects.toThrow(
      'may not open',
    );
  });

  it('need a client that can answer', async () => {
    const made = makeServerRequests(
      'rich',
      { elicitation: true, sampling: true },
      { current: () => ({ call: callOf(), sampled: 0 }) },
    );
    await expect(made.elicit(form({}))).rejects.toThrow('cannot ask its user');
    await expect(made.sample({ messages: [] })).rejects.toThrow('no model');
  });

  it('name roots by absolute paths', () => {
    expect(() => requests({ roots: ['notes'] })).toThrow('is not an absolute path');
  });
});
