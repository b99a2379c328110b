/** Agents that Pandora plugins provide, with their instructions and tools. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/agent/model.js';
import { makeAgent } from '../../src/agent/agent.js';
import type { AgentOptions, TurnInput } from '../../src/agent/options.js';
import { makeDirectory, makePlugin, startEngine } from '../engine/plugin-on-disk.js';

interface AgentSpec {
  readonly source: string;
  readonly useTools?: readonly string[];
  /** Whether the plugin also has a tool `stir`. Default: true. */
  readonly tools?: boolean;
}

function makeCook({ source, useTools, tools = true }: AgentSpec): string {
  const directory = makeDirectory();
  const files = {
    'pandora.manifest.json': JSON.stringify({
      manifestVersion: 1,
      id: 'cook',
      name: 'Cook',
      pandora: '>=1.0.0',
      provides: {
        ...(tools ? { tools: { entry: 'tools.ts' } } : {}),
        agents: { entry: 'agent.ts', ...(useTools === undefined ? {} : { useTools }) },
        channels: { entry: 'channel.ts' },
      },
    }),
    'tools.ts': `export const tools = [
      { id: 'stir', name: 'Stir', description: 'stirs', execute: async () => 'stirred', annotations: { readOnlyHint: true } },
      { id: 'burn', name: 'Burn', description: 'burns', execute: async () => 'burnt', annotations: { readOnlyHint: true } },
    ];`,
    'agent.ts': source,
    'channel.ts': 'export const factory = () => null;',
  };
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

const AGENT = `export const agent = { id: 'chef', name: 'Chef', description: 'cooks', instructions: 'Answer with a recipe.' };`;

const other = (): string =>
  makePlugin({ id: 'shop', tools: { buy: `async () => 'bought'`, steal: `async () => 'stolen'` } });

async function turnOf(
  directories: readonly string[],
  options: Partial<AgentOptions>,
  input: Partial<TurnInput> = {},
  calls: readonly string[] = [],
) {
  const engine = await startEngine(directories, { tolerance: 'full' });
  const requests: ModelRequest[] = [];
  const result = await makeAgent(engine, {
    model: {
      respond: (request) => {
        requests.push(request);
        const name = calls[requests.length - 1];
        return Promise.resolve(
          name === undefined
            ? { content: [{ type: 'text', text: 'done' }], stopReason: 'end_turn' }
            : {
                content: [{ type: 'tool_use', id: `u${requests.length}`, name, input: {} }],
                stopReason: 'tool_use',
              },
        );
      },
    },
    ...options,
  }).turn({ prompt: 'hello', ...input });
  return { result, requests, tools: requests[0]?.tools.map(({ name }) => name) };
}

describe('an agent of a plugin', () => {
  it('is listed with its plugin, whose channels are not run', async () => {
    const engine = await startEngine([makeCook({ source: AGENT, useTools: ['cook:stir'] })]);
    const [status] = engine.plugins();
    expect(status).toMatchObject({
      state: 'active',
      agents: [
        {
          id: 'cook:chef',
          name: 'Chef',
          description: 'cooks',
          instructions: 'Answer with a recipe.',
          useTools: ['cook:stir'],
        },
      ],
      notRun: ['channels (channel.ts)'],
    });
    expect(engine.listing()[0]).toMatchObject({
      provides: { agents: { agentIds: ['cook:chef'] }, channels: { alerts: [{ level: 'info' }] } },
    });
  });

  it('runs with its instructions, and with the tools that it uses, also of other plugins', async () => {
    const cook = makeCook({ source: AGENT, useTools: ['cook:stir', 'shop:buy', 'gone:tool'] });
    const { requests, tools, result } = await turnOf(
      [cook, other()],
      { agent: 'cook:chef', system: 'Be brief.' },
      {},
      ['shop__steal', 'shop__buy'],
    );
    expect(requests[0]?.system).toBe('Be brief.\n\nAnswer with a recipe.');
    expect(tools).toEqual(['cook__stir', 'shop__buy']);
    // A tool that it does not use is refused, also if the model names it.
    const texts = JSON.stringify(result.messages);
    expect(texts).toContain('is not offered here');
    expect(texts).toContain('bought');
    expect(texts).not.toContain('stolen');
  });

  it('gets no tools without useTools, and none that the policy of a turn blocks', async () => {
    const none = await turnOf([makeCook({ source: AGENT }), other()], { agent: 'cook:chef' });
    expect(none.tools).toEqual([]);
    expect(none.requests[0]?.system).toBe('Answer with a recipe.');
    const cook = makeCook({ source: AGENT, useTools: ['cook:stir', 'cook:burn'] });
    const policy = { allowedTools: ['cook:burn', 'cook__stir'], blockedTools: ['cook:burn'] };
    expect((await turnOf([cook], { agent: 'cook:chef' }, { policy })).tools).toEqual([
      'cook__stir',
    ]);
    expect(
      (await turnOf([cook], { agent: 'cook:chef' }, { system: 'Now.' })).requests[0]?.system,
    ).toBe('Now.\n\nAnswer with a recipe.');
  });

  it('may be all that a plugin has', async () => {
    const { requests } = await turnOf([makeCook({ source: AGENT, tools: false })], {
      agent: 'cook:chef',
    });
    expect(requests[0]?.system).toBe('Answer with a recipe.');
  });

  it.each([
    ['without instructions', `export const agent = { id: 'chef', name: 'Chef', description: '' };`],
    ['with a colon in its id', AGENT.replace(`'chef'`, `'a:b'`)],
    ['with endless instructions', AGENT.replace(`'Answer with a recipe.'`, `'x'.repeat(70000)`)],
    [
      'that throws when it is read',
      `export const agent = { get id() { throw new Error('no'); } };`,
    ],
  ])('%s is a problem of its own, and the tools run', async (_, source) => {
    const engine = await startEngine([makeCook({ source })]);
    const [status] = engine.plugins();
    expect(status?.state).toBe('active');
    expect(status?.agents).toBeUndefined();
    expect(status?.tools).toHaveLength(2);
    expect(status?.problems.map(({ message }) => message).join()).toMatch(/agent/);
  });

  it('has no hidden characters in its texts', async () => {
    const source = AGENT.replace('Answer with a recipe.', 'Answer\\u{E0041}\\u202e.');
    const engine = await startEngine([makeCook({ source })]);
    const [agent] = engine.plugins()[0]?.agents ?? [];
    expect(agent?.instructions).toBe('Answer\\u{e0041}\\u{202e}.');
  });

  it('that does not exist is named, with the one that was meant', async () => {
    const engine = await startEngine([makeCook({ source: AGENT })]);
    const model = { respond: () => Promise.reject(new Error('not called')) };
    expect(() => makeAgent(engine, { model, agent: 'cook:cheff' })).toThrow(
      'Did you mean cook:chef?',
    );
    expect(() => makeAgent(engine, { model, agent: 'zzz' })).toThrow('The agents are cook:chef.');
  });
});
