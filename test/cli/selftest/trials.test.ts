import { describe, expect, it } from 'vitest';
import { type Expectations, parseExpectations } from '../../../src/cli/hostile/expectations.js';
import { planTrials, type Range, type Trial } from '../../../src/cli/selftest/trials.js';
import type { CallResult, PluginStatus } from '../../../src/index.js';
import { echo } from '../echo.js';
import { fakePowers, type FakeSpec } from '../fake.js';

const villain = (
  expectations: object = {},
): { name: string; directory: string } & {
  expectations: Expectations;
} => ({
  name: 'villain',
  directory: '/villain',
  expectations: parseExpectations(expectations, 'villain', 'expect.json'),
});

const climb = { ...echo, name: 'villain__climb', plugin: 'villain', tool: 'climb' };
const breathe = { ...climb, name: 'villain__breathe', tool: 'breathe' };

async function tryAll(
  spec: FakeSpec,
  changed: Partial<Range> = {},
  expectations: object = {},
): Promise<readonly Trial[]> {
  const tools = spec.tools ?? [climb];
  const engine = await fakePowers(spec).createEngine({ plugins: ['/villain'] });
  const status = { ...engine.plugins()[0], tools } as PluginStatus;
  const planned = planTrials(villain(expectations), [status], {
    engine,
    vault: {
      url: 'http://127.0.0.1:1/secret',
      secret: 'secret',
      visits: () => 0,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    secrets: ['secret'],
    secretFile: '/bait',
    secretVariable: 'BAIT',
    bystander: () => Promise.resolve(true),
    now: () => 0,
    ...changed,
  });
  return Promise.all(planned.map(({ run }) => run()));
}

const nothing = (): Partial<CallResult> => ({ value: { got: null } });

describe('a trial', () => {
  it('held where nothing was got, nobody was disturbed and the plugin is still there', async () => {
    expect(await tryAll({ call: nothing, tools: [climb, breathe] })).toEqual([
      expect.objectContaining({
        plugin: 'villain',
        name: 'climb',
        category: 'villain',
        held: true,
      }),
    ]);
  });

  it('did not hold where a server was reached, whatever was returned', async () => {
    let visits = 0;
    const vault = {
      url: 'http://127.0.0.1:1/secret',
      secret: 'secret',
      visits: () => (visits += 1),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    expect(await tryAll({ call: nothing }, { vault })).toEqual([
      expect.objectContaining({ held: false, evidence: expect.stringContaining('SERVER') }),
    ]);
  });

  it('did not hold where another plugin got no answer meanwhile', async () => {
    const bystander = (): Promise<boolean> => Promise.resolve(false);
    expect(await tryAll({ call: nothing }, { bystander })).toEqual([
      expect.objectContaining({ held: false, evidence: expect.stringContaining('ANOTHER PLUGIN') }),
    ]);
  });

  it('did not hold where the plugin did not come back', async () => {
    const call: FakeSpec['call'] = (tool) =>
      tool === breathe.name ? { isError: true, code: 'GUEST_CRASHED' } : { value: null };
    expect(await tryAll({ call, tools: [climb, breathe] })).toEqual([
      expect.objectContaining({ held: false, evidence: expect.stringContaining('NEXT CALLS') }),
    ]);
  });
});

it('a trial held where its plugin lost no more than its next call', async () => {
  let calls = 0;
  const call: FakeSpec['call'] = (tool) =>
    tool === breathe.name && (calls += 1) === 1
      ? { isError: true, code: 'DEADLINE_EXCEEDED' }
      : { value: null };
  expect(await tryAll({ call, tools: [climb, breathe] })).toEqual([
    expect.objectContaining({ held: true }),
  ]);
});

describe('a plugin that must not load', () => {
  const expectations = { refused: ['OUTSIDE_PLUGIN'], category: 'load' };
  const status = (code: 'OUTSIDE_PLUGIN' | 'BUNDLE_FAILED'): FakeSpec => ({
    tools: [],
    status: { state: 'failed', problems: [{ code, message: 'no' }] },
  });

  it('held where it was refused for that reason', async () => {
    expect(await tryAll(status('OUTSIDE_PLUGIN'), {}, expectations)).toEqual([
      expect.objectContaining({ category: 'load', held: true }),
    ]);
  });

  it('held where it offers nothing, if no reason is named', async () => {
    expect(await tryAll({ tools: [] }, {}, { refused: [] })).toEqual([
      expect.objectContaining({ held: true }),
    ]);
  });

  it('did not hold where the reason tells what it was after', async () => {
    const problems = [{ code: 'OUTSIDE_PLUGIN' as const, message: 'it has a secret in it' }];
    expect(await tryAll({ tools: [], status: { problems } }, {}, expectations)).toEqual([
      expect.objectContaining({ held: false }),
    ]);
  });

  it.each([
    ['it was refused for another', status('BUNDLE_FAILED')],
    ['it runs', { tools: [climb] }],
  ])('did not hold where %s', async (_, spec) => {
    expect(await tryAll(spec, {}, expectations)).toEqual([
      expect.objectContaining({ held: false }),
    ]);
  });
});

it('a plugin that could not be loaded and should have been is no attack that was stopped', async () => {
  expect(await tryAll({ tools: [] })).toEqual([expect.objectContaining({ held: false })]);
});
