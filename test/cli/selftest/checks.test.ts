import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { describe, expect, it } from 'vitest';
import { type Expectations, parseExpectations } from '../../../src/cli/hostile/plugins.js';
import { type CheckContext, type Check, planChecks } from '../../../src/cli/selftest/checks.js';
import type { CallResult, PluginStatus } from '../../../src/index.js';
import { echo } from '../echo.js';
import { type FakeSpec, fakeCapabilities } from '../fake.js';

const hostile = (
  expectations: JsonObject = {},
): { name: string; directory: string } & {
  expectations: Expectations;
} => ({
  name: 'hostile',
  directory: '/hostile',
  expectations: parseExpectations(expectations, 'hostile', 'expect.json'),
});

const climb = { ...echo, name: 'hostile__climb', plugin: 'hostile', tool: 'climb' };
const breathe = { ...climb, name: 'hostile__breathe', tool: 'breathe' };

async function tryAll(
  spec: FakeSpec,
  changed: Partial<CheckContext> = {},
  expectations: JsonObject = {},
): Promise<readonly Check[]> {
  const tools = spec.tools ?? [climb];
  const engine = await fakeCapabilities(spec).createEngine({ plugins: ['/hostile'] });
  const status = { ...engine.plugins()[0], tools } as PluginStatus;
  const planned = planChecks(hostile(expectations), [status], {
    engine,
    secretServer: {
      url: 'http://127.0.0.1:1/secret',
      secret: 'secret',
      visits: () => 0,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    secrets: ['secret'],
    secretFile: '/bait',
    secretVariable: 'BAIT',
    otherPlugin: () => Promise.resolve(true),
    now: () => 0,
    ...changed,
  });
  return Promise.all(planned.map(({ run }) => run()));
}

const nothing = (): Partial<CallResult> => ({ value: { got: null } });

describe('a check', () => {
  it('passed if the attack got nothing, disturbed no plugin and the plugin still answers', async () => {
    expect(await tryAll({ call: nothing, tools: [climb, breathe] })).toEqual([
      expect.objectContaining({
        plugin: 'hostile',
        name: 'climb',
        category: 'hostile',
        passed: true,
      }),
    ]);
  });

  it('failed if a server was reached, whatever was returned', async () => {
    let visits = 0;
    const secretServer = {
      url: 'http://127.0.0.1:1/secret',
      secret: 'secret',
      visits: () => (visits += 1),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    expect(await tryAll({ call: nothing }, { secretServer })).toEqual([
      expect.objectContaining({ passed: false, evidence: expect.stringContaining('SERVER') }),
    ]);
  });

  it('failed if another plugin got no answer meanwhile', async () => {
    const otherPlugin = (): Promise<boolean> => Promise.resolve(false);
    expect(await tryAll({ call: nothing }, { otherPlugin })).toEqual([
      expect.objectContaining({
        passed: false,
        evidence: expect.stringContaining('ANOTHER PLUGIN'),
      }),
    ]);
  });

  it('failed if the plugin did not come back', async () => {
    const call: FakeSpec['call'] = (tool) =>
      tool === breathe.name ? { isError: true, code: 'GUEST_CRASHED' } : { value: null };
    expect(await tryAll({ call, tools: [climb, breathe] })).toEqual([
      expect.objectContaining({ passed: false, evidence: expect.stringContaining('NEXT CALLS') }),
    ]);
  });
});

it('a check passed where its plugin lost no more than its next call', async () => {
  let calls = 0;
  const call: FakeSpec['call'] = (tool) =>
    tool === breathe.name && (calls += 1) === 1
      ? { isError: true, code: 'DEADLINE_EXCEEDED' }
      : { value: null };
  expect(await tryAll({ call, tools: [climb, breathe] })).toEqual([
    expect.objectContaining({ passed: true }),
  ]);
});

describe('a plugin that must not load', () => {
  const expectations = { refused: ['OUTSIDE_PLUGIN'], category: 'load' };
  const status = (code: 'OUTSIDE_PLUGIN' | 'BUNDLE_FAILED'): FakeSpec => ({
    tools: [],
    status: { state: 'failed', problems: [{ code, message: 'no' }] },
  });

  it('passed if it was refused for that reason', async () => {
    expect(await tryAll(status('OUTSIDE_PLUGIN'), {}, expectations)).toEqual([
      expect.objectContaining({ category: 'load', passed: true }),
    ]);
  });

  it('passed if it offers nothing and no reason is named', async () => {
    expect(await tryAll({ tools: [] }, {}, { refused: [] })).toEqual([
      expect.objectContaining({ passed: true }),
    ]);
  });

  it('failed if the reason contains the secret', async () => {
    const problems = [{ code: 'OUTSIDE_PLUGIN' as const, message: 'it has a secret in it' }];
    expect(await tryAll({ tools: [], status: { problems } }, {}, expectations)).toEqual([
      expect.objectContaining({ passed: false }),
    ]);
  });

  it.each([
    ['it was refused for another', status('BUNDLE_FAILED')],
    ['it runs', { tools: [climb] }],
  ])('failed if %s', async (_, spec) => {
    expect(await tryAll(spec, {}, expectations)).toEqual([
      expect.objectContaining({ passed: false }),
    ]);
  });
});

it('a plugin that should load but does not is not a stopped attack', async () => {
  expect(await tryAll({ tools: [] })).toEqual([expect.objectContaining({ passed: false })]);
});
