import { describe, expect, it } from 'vitest';
import { makePlugin, startEngine } from './plugin-on-disk.js';

const ONE = { n: 1 };
const ECHO = { echo: '(input) => input' };
const asking = { id: 'asking', entry: { requireApproval: true }, tools: ECHO };
const calm = { id: 'calm', tools: ECHO };
const writer = {
  id: 'writer',
  source: `export const tools = [{ id: 'run', name: 'n', description: 'd',
    annotations: { readOnlyHint: false }, execute: (input) => input }];`,
};

describe('a policy', () => {
  it('blocks by name and by category, whatever the tolerance', async () => {
    const engine = await startEngine([makePlugin(calm)], {
      tolerance: 'full',
      policy: { blockedTools: ['calm:echo'] },
    });
    expect(await engine.call('echo', ONE)).toMatchObject({ code: 'POLICY_DENIED' });
    expect(engine.availableTools({})).toEqual([]);
  });

  it('of one call holds for that call', async () => {
    const engine = await startEngine([makePlugin(calm)]);
    const policy = { allowedToolCategories: ['coding'] };
    expect(await engine.call('echo', ONE, { policy })).toMatchObject({
      code: 'POLICY_DENIED',
      content: [{ text: expect.stringContaining('it does not have a category') }],
    });
    expect(engine.availableTools({ policy })).toEqual([]);
    expect(engine.availableTools({ policy: { allowedToolCategories: [] } }).length).toBe(1);
    expect((await engine.call('echo', ONE)).value).toEqual(ONE);
  });
});

describe('an unattended run', () => {
  it('is for tools that only read and do not ask', async () => {
    const engine = await startEngine([makePlugin(calm), makePlugin(asking), makePlugin(writer)], {
      approve: () => 'once',
    });
    const unattended = { unattended: true };
    expect(engine.availableTools(unattended).map(({ plugin }) => plugin)).toEqual(['calm']);
    expect((await engine.call('calm:echo', ONE, unattended)).value).toEqual(ONE);
    for (const id of ['asking:echo', 'writer:run']) {
      expect(await engine.call(id, ONE, unattended)).toMatchObject({ code: 'POLICY_DENIED' });
    }
  });

  it('asks for no approval if no client is connected', async () => {
    const engine = await startEngine([makePlugin(asking)], { approve: () => 'once' });
    const context = { isInteractive: false };
    expect(await engine.call('echo', ONE, { context })).toMatchObject({
      code: 'APPROVAL_REQUIRED',
    });
  });
});
