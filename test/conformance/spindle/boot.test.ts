/**
 * Extensions written as real ones are: each loads to the end of its registration, without a fault,
 * on a host that provides nothing of Lumiverse, and serves its tools.
 */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, JsonObject } from '../../../src/index.js';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';

interface Known {
  readonly tools?: readonly string[];
  /** Calls in their order: the tool, its input, and the text that it answers. */
  readonly calls?: readonly (readonly [tool: string, input: JsonObject, answer: string | RegExp])[];
  /** What it logs at boot. */
  readonly says?: RegExp;
}

const extensions: Readonly<Record<string, Known>> = {
  spotify_controls: {
    tools: ['spotify_now_playing', 'spotify_pause', 'spotify_play'],
    calls: [
      ['spotify_play', { query: 'Bach' }, 'Playing Bach'],
      ['spotify_now_playing', {}, 'Now playing Bach'],
      ['spotify_pause', {}, 'Paused'],
    ],
  },
  sim_tracker: {
    says: /active chat: none/,
  },
  agentic_preset_composer: {},
  lumi_mind: {
    tools: ['recall', 'remember'],
    calls: [
      ['remember', { text: 'tea at five' }, 'Remembered 1'],
      ['recall', { query: 'tea' }, 'tea at five'],
    ],
  },
  knowledge_base: {
    tools: ['search_knowledge_base'],
    calls: [['search_knowledge_base', { query: 'tea' }, 'Lumia likes tea']],
  },
  summary_sharder: {},
  rpc_weather: {
    tools: ['weather'],
    calls: [['weather', {}, '{"endpoint":"rpc_weather.status.current","now":21}']],
  },
  regex_studio: { says: /regex_studio 0 scripts/ },
  date_simulator: {
    tools: ['bump'],
    calls: [
      ['bump', { name: 'Ada', by: 3 }, 'Ada: 3 {"name":"Ada","score":3} true'],
      ['bump', { name: 'Ada' }, 'Ada: 4 {"name":"Ada","score":4} true'],
    ],
  },
  chronicle: {
    tools: ['chronicle'],
    calls: [['chronicle', {}, '[{"kind":"boot","ms":true}]']],
  },
  story_engine: {
    tools: ['next_beat'],
    calls: [['next_beat', {}, '1/BEAT 1']],
  },
  lumi_agent: {
    tools: ['ask', 'think'],
    calls: [
      ['think', { topic: 'walls' }, 'thought about walls'],
      ['ask', { question: 'why' }, 'no model: HOST_UNAVAILABLE'],
    ],
  },
  hone: {
    tools: ['refine'],
    calls: [['refine', { text: '  a   b ' }, 'a b']],
  },
  secrets_keeper: {
    tools: ['key_status', 'set_key'],
    calls: [
      ['key_status', {}, 'none (at boot: false)'],
      ['set_key', { key: 'abcdef' }, 'kept'],
      ['key_status', {}, 'there is one, of 6 characters'],
    ],
  },
  legacy_prober: {
    tools: ['features'],
    calls: [
      [
        'features',
        {},
        /^\{"contracts":true,"later":false,"processes":true,"unknown":false,"permissions":true,"thrown":"spindle\.teleport does not exist here/,
      ],
    ],
  },
  bundled_utils: {
    tools: ['encode'],
    calls: [['encode', { text: 'hé' }, 'aMOp 3 true 1']],
  },
  theme_painter: {
    says: /push: HOST_UNAVAILABLE/,
  },
  world_guard: {
    says: /denied registerWorldInfoInterceptor: generation/,
  },
  token_meter: {
    tools: ['count_tokens'],
    calls: [['count_tokens', { text: 'twelve chars' }, '3 0']],
  },
  silent_observer: {},
};

const fixtures = fileURLToPath(new URL('../../../fixtures/plugins/spindle', import.meta.url));

describe('an extension as they are written', () => {
  const events: BulkheadEvent[] = [];
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine([fixtures], {
      // What they declare, and no request ever leaves this machine.
      grant: ({ entries }) => ({ ...entries[0]?.declared, network: [] }),
      cacheDirectory: makeDirectory(),
      storageDirectory: makeDirectory(),
      onEvent: (event) => events.push(event),
    });
  });

  it.each(Object.entries(extensions))('%s boots and serves its tools', async (id, known) => {
    const status = engine.plugins().find((plugin) => plugin.id === id);
    expect(status?.problems).toEqual([]);
    expect(status?.state).toBe('active');
    expect(status?.tools.map(({ tool }) => tool).toSorted()).toEqual(known.tools ?? []);
    for (const [tool, input, answer] of known.calls ?? []) {
      const result = await engine.call(`${id}:${tool}`, input);
      const [block] = result.content;
      if (typeof answer === 'string') expect(block?.text).toBe(answer);
      else expect(block?.text).toMatch(answer);
    }
    const lines = events.flatMap((event) =>
      event.type === 'log' && event.plugin === id ? [event.text] : [],
    );
    expect(lines.filter((line) => line.includes('not caught'))).toEqual([]);
    if (known.says !== undefined) expect(lines.join('\n')).toMatch(known.says);
  });

  it('a council member’s answer is in its voice', async () => {
    const context = {
      councilMember: { memberId: 'm', name: 'Ada', role: '' },
      contextMessages: [{ role: 'assistant', content: 'before' }],
      requestId: 'r',
    };
    const result = await engine.call('search_knowledge_base', { query: 'tower' }, { context });
    expect(result.value).toBe('Ada (analyst) reports:\nThe tower is old\nafter: before');
  });
});
