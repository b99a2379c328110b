import { describe, expect, it } from 'vitest';
import { brief, CLASSIC, converse, CURRENT } from './conversation.js';

const tool = (text: string): string =>
  `export default { description: 'd', input_schema: { type: 'object' }, execute: async () => ({ content: ${JSON.stringify(text)}, isError: false }) }`;
const hook = (body: string): string => `export default async (ctx) => { ${body} }`;
describe('the stop hook', () => {
  it('with classic semantics continues the turn, up to the host’s limit', async () => {
    const { result } = await converse({
      plugins: [
        {
          api: CLASSIC,
          hooks: {
            stop: hook(
              `ctx.messages.push({ role: 'user', content: [{ type: 'text', text: 'more' }] }); ctx.decision = 'continue';`,
            ),
          },
        },
      ],
      says: ['one', 'two', 'three'],
      options: { maxContinuations: 2 },
    });
    expect(result).toMatchObject({ exitReason: 'no_tool_calls', iterations: 3 });
    expect(brief(result.messages)).toEqual([
      'user: hello',
      'assistant: one',
      'user: more',
      'assistant: two',
      'user: more',
      'assistant: three',
    ]);
  });

  it('with current semantics runs once, at the end, with the reason why the turn ended', async () => {
    const plugin = {
      api: CURRENT,
      tools: { read: tool('text') },
      hooks: {
        stop: hook(`ctx.logger.warn('ended: ' + ctx.exitReason + ' ' + ctx.messages.length);`),
      },
    };
    const lines: string[] = [];
    const engine = {
      onEvent: (event: { readonly type: string; readonly text?: string }) => {
        if (event.type === 'log' && event.text !== undefined) lines.push(event.text);
      },
    };
    await converse({ plugins: [plugin], says: [{ read: {} }, 'ok'], engine });
    await converse({ plugins: [plugin], says: [new Error('down')], engine });
    expect(lines.map((line) => /ended: \w+ \d/.exec(line)?.[0])).toEqual([
      'ended: no_tool_calls 4',
      'ended: error 1',
    ]);
  });
});

describe('a decision of post-model-call', () => {
  const again = (extra = ''): string =>
    hook(
      `if (ctx.content.length === 0 || ctx.content[0].text === 'empty') { ctx.decision = 'continue'; ${extra} }`,
    );

  it('calls the model again if the reply was not shown, up to the host’s limit', async () => {
    const { result } = await converse({
      plugins: [
        {
          api: CURRENT,
          hooks: {
            'pre-model-call': hook('ctx.deferAssistantOutput = true;'),
            'post-model-call': again(),
          },
        },
      ],
      says: ['empty', 'empty', 'full'],
    });
    expect(result).toMatchObject({ text: 'full', iterations: 3 });
  });

  it('is ignored if the reply was shown', async () => {
    const { result } = await converse({
      plugins: [{ api: CURRENT, hooks: { 'post-model-call': again() } }],
      says: ['empty'],
    });
    expect(result).toMatchObject({ text: 'empty', iterations: 1 });
  });

  it('continues after a failed model call, with the hook’s changes', async () => {
    const { result, requests } = await converse({
      plugins: [
        {
          api: CURRENT,
          hooks: { 'post-model-call': again('ctx.messages = ctx.messages.slice(-1);') },
        },
      ],
      says: [new Error('too long'), 'ok'],
      input: {
        history: [
          { role: 'user', content: [{ type: 'text', text: 'old' }] },
          { role: 'assistant', content: [{ type: 'text', text: 'older' }] },
        ],
      },
    });
    expect(result.exitReason).toBe('no_tool_calls');
    expect(brief(requests[1]?.messages ?? [])).toEqual(['user: hello']);
  });
});
