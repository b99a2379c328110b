import { expect, it } from 'vitest';
import { attemptsOf } from '../../../src/cli/hostile/attempts.js';
import { echo } from '../echo.js';

const bait = { secretUrl: 'http://127.0.0.1:1/', secretFile: '/bait', secretVariable: 'BAIT' };
const tool = (id: string, properties: object = {}) => ({
  ...echo,
  name: `p__${id}`,
  plugin: 'p',
  tool: id,
  inputSchema: { type: 'object', properties: properties as never },
});

it('a tool is one attempt, and gets the baits that its input names', () => {
  expect(attemptsOf([tool('climb'), tool('read', { secretFile: {} })], bait)).toEqual([
    { plugin: 'p', tool: 'p__climb', name: 'climb', input: {} },
    { plugin: 'p', tool: 'p__read', name: 'read', input: { secretFile: '/bait' } },
  ]);
});

it('a tool that lists its attempts is one for each of them', () => {
  const listing = tool('escape', { attempt: { enum: ['a', 'b', 7] }, secretUrl: {} });
  expect(attemptsOf([listing], bait).map(({ name, input }) => [name, input])).toEqual([
    ['a', { attempt: 'a', secretUrl: 'http://127.0.0.1:1/' }],
    ['b', { attempt: 'b', secretUrl: 'http://127.0.0.1:1/' }],
  ]);
});

it('the tool that does no harm is none', () => {
  expect(attemptsOf([tool('breathe')], bait)).toEqual([]);
});
