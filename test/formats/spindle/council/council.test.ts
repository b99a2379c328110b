import { describe, expect, it } from 'vitest';
import {
  createCouncil,
  makeSeededDice,
  type PromptTool,
} from '../../../../src/formats/spindle/council/index.js';
import { cycle, member, start } from './extension.js';

describe('a council', () => {
  it('runs its members’ tools one after the other, whatever the outcome of each', async () => {
    const engine = await start();
    const council = createCouncil(engine, {
      settings: {
        members: [
          member({ tools: ['ext:search', 'fails', 'gone'] }),
          member({ memberId: 'b', name: 'Never', chance: 0, tools: ['ext:search'] }),
          member({ memberId: 'c', name: 'Nova', tools: ['ext__odd__name'] }),
        ],
      },
    });
    const { results, block, aborted } = await council.deliberate(cycle);
    expect(aborted).toBe(false);
    expect(results).toMatchObject([
      {
        memberId: 'lumi-0001',
        memberName: 'Lumi',
        toolName: 'ext:search',
        toolDisplayName: 'Search',
        success: true,
        content: 'Lumi | no query | hello | true | true',
      },
      { toolName: 'ext:fails', success: false, error: 'boom', content: '' },
      { toolName: 'gone', success: false, error: expect.stringContaining('gone') },
      { memberName: 'Nova', toolName: 'ext:odd__name', success: true },
    ]);
    for (const { durationMs } of results) expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(block).toContain('### Feedback perspective: **Lumi**\n\n**Search:**\nLumi | no query');
    expect(block).not.toContain('boom');
    expect((await engine.call('ext:not_for_councils', {})).value).toBe(
      'search,fails,odd__name,not_for_councils',
    );
  });

  it('lists what is eligible, and gives members nothing else', async () => {
    const engine = await start();
    const prompt: PromptTool = {
      name: 'mood',
      source: 'builtin',
      displayName: 'Mood',
      description: 'd',
      prompt: 'p',
    };
    const council = createCouncil(engine, {
      prompts: [{ ...prompt, name: 'mood', source: 'dlc', displayName: 'Other' }, prompt],
      settings: { members: [member({ tools: ['ext:not_for_councils'] })] },
    });
    expect(council.tools().map(({ name, displayName }) => [name, displayName])).toEqual([
      ['mood', 'Mood'],
      ['mood', 'Other'],
      ['ext:fails', 'fails'],
      ['ext:hangs', 'hangs'],
      ['ext:odd__name', 'odd__name'],
      ['ext:search', 'Search'],
    ]);
    const { results } = await council.deliberate(cycle);
    expect(results).toMatchObject([{ success: false, toolName: 'ext:not_for_councils' }]);
  });

  it('calls a tool with arguments if the host can supply them, checked against its schema', async () => {
    const engine = await start();
    const planned = ['lighthouses', 7];
    const council = createCouncil(engine, {
      settings: { members: [member({ tools: ['search', 'search'] })] },
      planArguments: async () => ({ query: planned.shift() ?? '' }),
    });
    const { results } = await council.deliberate(cycle);
    expect(results[0]?.content).toContain('| lighthouses |');
    expect(results[1]).toMatchObject({ success: false, error: expect.stringContaining('query') });
  });

  it('ends with its generation: the tool that runs is stopped, and no other begins', async () => {
    const engine = await start();
    const council = createCouncil(engine, {
      settings: { members: [member({ tools: ['hangs', 'search'] })] },
    });
    const controller = new AbortController();
    const deliberating = council.deliberate({ ...cycle, signal: controller.signal });
    engine.on(({ type }) => type === 'call-started' && setTimeout(() => controller.abort(), 20));
    const { results, aborted } = await deliberating;
    expect(aborted).toBe(true);
    expect(results).toMatchObject([{ toolName: 'ext:hangs', success: false }]);
  });

  it.each([
    ['planArguments', 'search', { planArguments: () => new Promise<never>(() => {}) }],
    ['resolveSidecar', 'mood', { resolveSidecar: () => new Promise<never>(() => {}) }],
    ['the sidecar model', 'mood', { resolveSidecar: () => () => new Promise<never>(() => {}) }],
  ])('ends with its generation, also while %s hangs', async (_, tool, functions) => {
    const engine = await start();
    const council = createCouncil(engine, {
      settings: { members: [member({ tools: [tool] })] },
      prompts: [
        { name: 'mood', source: 'builtin', displayName: 'Mood', description: 'd', prompt: 'p' },
      ],
      ...functions,
    });
    const signal = AbortSignal.timeout(20);
    const { results, aborted } = await council.deliberate({ ...cycle, signal });
    expect(aborted).toBe(true);
    expect(results).toMatchObject([{ success: false, error: 'The generation was aborted.' }]);
  });

  it('lets a user try again what failed, and nothing else', async () => {
    const engine = await start();
    const council = createCouncil(engine, {
      settings: { members: [member({ tools: ['search', 'fails'] })] },
    });
    const first = await council.deliberate(cycle);
    await council.retry(first.results, cycle);
    expect((await engine.call('ext:not_for_councils', {})).value).toBe(
      'search,fails,fails,not_for_councils',
    );
  });

  it('has who takes part by the same seed the same', async () => {
    const engine = await start();
    const members = Array.from({ length: 12 }, (_, at) =>
      member({ memberId: `m${at}`, name: `M${at}`, chance: 50, tools: ['fails'] }),
    );
    const namesOf = async (seed: number): Promise<string[]> => {
      const council = createCouncil(engine, { settings: { members }, dice: makeSeededDice(seed) });
      const { results } = await council.deliberate(cycle);
      return results.map(({ memberName }) => memberName);
    };
    const first = await namesOf(1);
    expect(await namesOf(1)).toEqual(first);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(12);
  });
});

describe('the sidecar', () => {
  const prompts: readonly PromptTool[] = [
    { name: 'mood', source: 'builtin', displayName: 'Mood', description: 'd', prompt: 'Say it.' },
  ];

  it('is the connection that the settings name, with what they set', async () => {
    const engine = await start();
    const asked: unknown[] = [];
    const stored: unknown[] = [];
    const council = createCouncil(engine, {
      prompts,
      onSettings: (settings) => stored.push(settings),
      resolveSidecar: (config) => {
        asked.push(config);
        return async ({ messages, model, temperature, topP, maxTokens }) => {
          asked.push({ model, temperature, topP, maxTokens });
          return `${messages.length} messages`;
        };
      },
      settings: { members: [member({ tools: ['mood'] })] },
    });
    const sidecarSettings = {
      connectionProfileId: 'profile-1',
      model: 'small',
      temperature: 0.7,
      topP: 0.9,
      maxTokens: 1024,
    };
    council.configure({ sidecarSettings });
    expect(stored).toMatchObject([{ sidecarSettings }]);
    const { results } = await council.deliberate(cycle);
    expect(results).toMatchObject([{ success: true, content: '3 messages' }]);
    const { connectionProfileId: _, ...request } = sidecarSettings;
    expect(asked).toEqual([sidecarSettings, request]);
  });

  it('is asked three times, and extensions once', async () => {
    const engine = await start();
    let asked = 0;
    const council = createCouncil(engine, {
      prompts,
      resolveSidecar: () => async () => {
        asked += 1;
        throw new Error(`down ${asked}`);
      },
      settings: { members: [member({ tools: ['mood'] })] },
    });
    const { results } = await council.deliberate(cycle);
    expect(results).toMatchObject([{ success: false, error: 'down 3' }]);
  });

  it('that is not connected fails its tools and says so', async () => {
    const engine = await start();
    const council = createCouncil(engine, {
      prompts,
      settings: { members: [member({ tools: ['mood', 'search'] })] },
    });
    const { results } = await council.deliberate(cycle);
    expect(results).toMatchObject([
      { success: false, error: expect.stringContaining('connectionProfileId') },
      { success: true, toolName: 'ext:search' },
    ]);
  });
});
