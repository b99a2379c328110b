import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../src/agent/model.js';
import { brief, converse } from './conversation.js';

const wipe = {
  tools: {
    wipe: `export default { description: 'd', input_schema: { type: 'object' },
      execute: async (input) => ({ content: 'wiped ' + JSON.stringify(input), isError: false }) }`,
  },
};

const use = (id: string, input: unknown): ModelReply['content'][number] =>
  ({ type: 'tool_use', id, name: 'wipe', input }) as never;

describe('a tool call that is broken', () => {
  it('never runs; the model gets the reason, and the others run', async () => {
    const { result } = await converse({
      plugins: [wipe],
      says: [
        {
          content: [use('a', {}), use('b', { prefix: 'x' })],
          brokenCalls: new Map([['a', 'its input was cut']]),
          stopReason: 'tool_use',
        },
        'done',
      ],
    });
    expect(brief(result.messages)).toEqual([
      'user: hello',
      'assistant: calls wipe',
      'assistant: calls wipe',
      'user: error its input was cut',
      'user: result wiped {"prefix":"x"}',
      'assistant: done',
    ]);
  });

  it.each(['{"prefix":"tm', ['x'], null, 7, undefined])(
    'never runs with the input %j of a host’s own model',
    async (input) => {
      const { result } = await converse({
        plugins: [wipe],
        says: [{ content: [use('a', input)], stopReason: 'tool_use' }, 'done'],
      });
      expect(brief(result.messages)[2]).toMatch(/^user: error .*is not a JSON object/);
    },
  );

  it.each(['max_tokens', 'refusal', 'length', 'model_length', 'error', 'anything'])(
    'is dropped with its reply if that stopped with %s',
    async (stopReason) => {
      const { result, events } = await converse({
        plugins: [wipe],
        says: [{ content: [{ type: 'text', text: 'I' }, use('a', {})], stopReason }],
      });
      expect(brief(result.messages)).toEqual(['user: hello', 'assistant: I']);
      expect(events.some(({ type }) => type === 'tool-call')).toBe(false);
    },
  );
});

describe('a turn', () => {
  it('calls the model as often as it may, and counts these calls', async () => {
    const { result, requests } = await converse({
      plugins: [wipe],
      says: [{ wipe: {} }, { wipe: {} }, { wipe: {} }, { wipe: {} }],
      options: { maxIterations: 3 },
    });
    expect(result).toMatchObject({ exitReason: 'budget_yield_unrecovered', iterations: 3 });
    expect(requests).toHaveLength(3);
  });

  it('goes on if its listener throws, so that each tool call has its result', async () => {
    const { result } = await converse({
      plugins: [wipe],
      says: [{ wipe: {} }, 'done'],
      input: {
        onEvent: () => {
          throw new Error('the listener is broken');
        },
      },
    });
    expect(brief(result.messages).slice(1)).toEqual([
      'assistant: calls wipe',
      'user: result wiped {}',
      'assistant: done',
    ]);
  });

  it.each([
    ['maxIterations', Number.NaN],
    ['maxIterations', 0],
    ['maxIterations', 1.5],
    ['maxContinuations', -1],
    ['maxInputTokens', Infinity],
    ['modelTimeoutMs', Infinity],
    ['modelTimeoutMs', 2 ** 31],
  ])('is refused with %s: %d', async (option, value) => {
    await expect(
      converse({ plugins: [], says: [], options: { [option]: value } }),
    ).rejects.toMatchObject({ code: 'INVALID_OPTIONS', details: { option } });
  });
});
