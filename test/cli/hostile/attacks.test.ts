import { describe, expect, it } from 'vitest';
import { attacksOf } from '../../../src/cli/hostile/attacks.js';
import { echo } from '../echo.js';

const targets = { secretUrl: 'http://127.0.0.1:1/', secretFile: '/bait', secretVariable: 'BAIT' };
const tool = (id: string, properties: object = {}) => ({
  ...echo,
  name: `p__${id}`,
  plugin: 'p',
  tool: id,
  inputSchema: { type: 'object', properties: properties as never },
});

describe('the list of attacks', () => {
  it('has one attempt for a tool, with the targets that its input names', () => {
    expect(attacksOf([tool('climb'), tool('read', { secretFile: {} })], targets)).toEqual([
      { plugin: 'p', tool: 'p__climb', name: 'climb', input: {} },
      { plugin: 'p', tool: 'p__read', name: 'read', input: { secretFile: '/bait' } },
    ]);
  });

  it('has one attempt for each that a tool lists', () => {
    const listing = tool('escape', { attempt: { enum: ['a', 'b', 7] }, secretUrl: {} });
    expect(attacksOf([listing], targets).map(({ name, input }) => [name, input])).toEqual([
      ['a', { attempt: 'a', secretUrl: 'http://127.0.0.1:1/' }],
      ['b', { attempt: 'b', secretUrl: 'http://127.0.0.1:1/' }],
    ]);
  });

  it('has no attempt for the harmless tool', () => {
    expect(attacksOf([tool('breathe')], targets)).toEqual([]);
  });
});
