import { describe, expect, it } from 'vitest';
import { brief, CLASSIC, converse, CURRENT, shown } from './conversation.js';

const tool = (execute: string): string =>
  `export default { description: 'd', input_schema: { type: 'object' }, execute: ${execute} }`;

describe('a turn', () => {
  it('ends with a reply without tool calls', async () => {
    const { result, requests, events } = await converse({ plugins: [], says: ['hi'] });
    expect(result).toMatchObject({ exitReason: 'no_tool_calls', text: 'hi', iterations: 1 });
    expect(brief(result.messages)).toEqual(['user: hello', 'assistant: hi']);
    expect(brief(requests[0]?.messages ?? [])).toEqual(['user: hello']);
    expect(shown(events)).toEqual(['hi']);
  });

  it('runs the called tools and continues with their results', async () => {
    const { result, requests, events } = await converse({
      plugins: [
        {
          tools: {
            add: tool('async ({ a, b }) => ({ content: String(a + b), isError: false })'),
            fail: tool('async () => { throw new Error("broken") }'),
          },
        },
      ],
      says: [{ add: { a: 2, b: 3 }, fail: {}, nowhere: {} }, 'five'],
    });
    expect(result.exitReason).toBe('no_tool_calls');
    expect(brief(result.messages)).toEqual([
      'user: hello',
      'assistant: calls add',
      'assistant: calls fail',
      'assistant: calls nowhere',
      'user: result 5',
      expect.stringMatching(/^user: error .*broken/),
      expect.stringMatching(/^user: error .*nowhere/),
      'assistant: five',
    ]);
    expect(requests[0]?.tools.map(({ name }) => name.replace(/.*__/, ''))).toEqual(['add', 'fail']);
    expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(3);
  });

  it('passes the conversation to tools, and streams their output', async () => {
    const { result, events } = await converse({
      plugins: [
        {
          tools: {
            who: tool(
              `async (_input, ctx) => {
                ctx.onOutput?.('working');
                return { content: [ctx.conversationId, ctx.workingDir, ctx.requestId, ctx.isInteractive].join(), isError: false };
              }`,
            ),
          },
        },
      ],
      says: [{ who: {} }, 'done'],
      input: { conversationId: 'c7', requestId: 'r1', isInteractive: true },
      options: { workingDir: '/here' },
    });
    expect(brief(result.messages)).toContain('user: result c7,/here,r1,true');
    expect(events).toContainEqual({ type: 'tool-output', id: 'use-1-0', chunk: 'working' });
  });

  it('ends for the user’s reply if a tool requests it', async () => {
    const { result } = await converse({
      plugins: [
        {
          tools: {
            ask: tool(
              'async () => ({ content: "over to you", isError: false, yieldToUser: true })',
            ),
          },
        },
      ],
      says: [{ ask: {} }],
    });
    expect(result).toMatchObject({ exitReason: 'yield_to_user', iterations: 1 });
    expect(brief(result.messages).at(-1)).toBe('user: result over to you');
  });

  it('is limited in its model calls', async () => {
    const { result } = await converse({
      plugins: [{ tools: { again: tool('async () => ({ content: "", isError: false })') } }],
      says: Array.from({ length: 9 }, () => ({ again: {} })),
      options: { maxIterations: 3 },
    });
    expect(result.exitReason).toBe('budget_yield_unrecovered');
    expect(result.messages.filter(({ role }) => role === 'assistant')).toHaveLength(3);
  });

  it('drops the tool calls of a truncated reply', async () => {
    const { result } = await converse({
      plugins: [{ tools: { send: tool('async () => ({ content: "sent", isError: false })') } }],
      says: [
        {
          content: [
            { type: 'text', text: 'half' },
            { type: 'tool_use', id: 'x', name: 'send', input: {} },
          ],
          stopReason: 'max_tokens',
        },
      ],
    });
    expect(result.exitReason).toBe('max_tokens_reached');
    expect(brief(result.messages)).toEqual(['user: hello', 'assistant: half']);
  });

  it('reports the model’s failure', async () => {
    const { result } = await converse({ plugins: [], says: [new Error('over quota')] });
    expect(result).toMatchObject({ exitReason: 'error', error: { message: 'over quota' } });
    expect(brief(result.messages)).toEqual(['user: hello']);
  });

  it('has a result for every tool call, whenever it is aborted', async () => {
    for (const [at, exitReason] of [
      [0, 'aborted_post_response'],
      [1, 'aborted_post_response'],
    ] as const) {
      let replies = 0;
      const controller = new AbortController();
      const { result } = await converse({
        plugins: [{ tools: { one: tool('async () => ({ content: "1", isError: false })') } }],
        says: [{ one: {} }, { one: {} }, 'end'],
        input: {
          signal: controller.signal,
          onEvent: ({ type }) => {
            if (type !== 'reply') return;
            if (replies === at) controller.abort();
            replies += 1;
          },
        },
      });
      expect(result.exitReason).toBe(exitReason);
      const blocks = result.messages.flatMap(({ content }) => content);
      const uses = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
      const results = blocks.filter(({ type }) => type === 'tool_result');
      expect(uses).toHaveLength(at + 1);
      expect(results.map((block) => block['tool_use_id'])).toEqual(uses);
    }
  });

  it('stops a running tool when it is aborted', async () => {
    const controller = new AbortController();
    const turn = converse({
      plugins: [
        {
          tools: {
            wait: tool(
              'async (_i, ctx) => new Promise((_, no) => ctx.signal.addEventListener("abort", () => no(new Error("stopped"))))',
            ),
          },
        },
      ],
      says: [{ wait: {} }],
      input: {
        signal: controller.signal,
        onEvent: ({ type }) => {
          if (type === 'tool-call') setTimeout(() => controller.abort(), 50);
        },
      },
    });
    expect((await turn).result.exitReason).toBe('aborted_during_tools');
  });
});

describe('a conversation that exceeds the window', () => {
  const long = 'x'.repeat(4_000);
  const history = Array.from({ length: 20 }, (_, n) => ({
    role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: [{ type: 'text', text: `${n} ${long}` }],
  }));

  it('is summarised by the model, except for its end', async () => {
    const { result, requests, events } = await converse({
      plugins: [],
      says: ['they spoke of x', 'short again'],
      options: { maxInputTokens: 16_000 },
      input: { history },
    });
    expect(requests[0]?.system).toMatch(/Sum up/);
    expect(brief(requests[1]?.messages ?? [])[0]).toBe(
      'user: Summary of the conversation so far:\nthey spoke of x',
    );
    expect(brief(result.messages).at(-1)).toBe('assistant: short again');
    expect(events.some(({ type }) => type === 'compacted')).toBe(true);
  });

  it.each([CURRENT, CLASSIC])('is completed by a hook of a plugin for %s', async (api) => {
    const hook = `export default async (ctx) => {
      ctx.history.unshift({ role: 'user', content: [{ type: 'text', text: 'remember' }] });
    }`;
    const { requests } = await converse({
      plugins: [{ api, hooks: { 'post-compact': hook } }],
      says: ['all of it', 'ok'],
      options: { maxInputTokens: 16_000 },
      input: { history },
    });
    expect(brief(requests[1]?.messages ?? [])[0]).toBe('user: remember');
  });

  it('ends the turn if it still does not fit', async () => {
    const { result } = await converse({
      plugins: [],
      says: [],
      options: { maxInputTokens: 100, compact: async (messages) => messages },
      input: { history },
    });
    expect(result.exitReason).toBe('context_too_large');
  });
});
