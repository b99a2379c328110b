import { describe, expect, it } from 'vitest';
import { type Hook, runLocally } from './local-chain.js';

const text = (words: string): object => ({ type: 'text', text: words });
const user = (words: string): object => ({ role: 'user', content: [text(words)] });

describe.each(['classic', 'current'] as const)('a chain of %s hooks', (semantics) => {
  it('discards all changes of a hook if one part of them is not valid', async () => {
    const bad: Record<string, Hook> = {
      'a role': (ctx) => void ctx.messages.push({ role: 'robot', content: [] }),
      'a text for a content': (ctx) => void ctx.messages.push({ role: 'user', content: 'hi' }),
      'no list': (ctx) => {
        ctx.messages = 'none';
      },
      'a block without its field': (ctx) =>
        void ctx.messages.push({ role: 'user', content: [{ type: 'text' }] }),
      'an undefined': (ctx) =>
        void ctx.messages.push({ role: 'user', content: [{ type: 'text', text: undefined }] }),
      'nothing at all': (ctx) => {
        ctx.messages = undefined;
      },
      'a decision of its own': (ctx) => {
        ctx.decision = 'again';
      },
      'a circle': (ctx) => {
        ctx.messages.push(ctx.messages);
      },
      'a number without JSON': (ctx) => void ctx.messages.push(1n),
    };
    const hook = semantics === 'classic' ? 'stop' : 'post-model-call';
    for (const [what, change] of Object.entries(bad)) {
      const { context, reports } = await runLocally(hook, semantics, { messages: [user('a')] }, [
        (ctx) => {
          ctx.messages.push(user('also'));
          ctx.decision = 'continue';
          change(ctx);
        },
        (ctx) => void ctx.messages.push(user('later')),
      ]);
      expect({ what, changed: reports[0]?.changed, error: reports[0]?.error?.code }).toEqual({
        what,
        changed: [],
        error: expect.stringMatching(/^(INVALID_HOOK_CHANGE|RESULT_INVALID)$/),
      });
      expect(context).toMatchObject({ messages: [user('a'), user('later')], decision: 'stop' });
    }
  });

  it('accepts every known block, and blocks of unknown types', async () => {
    const content = [
      text('t'),
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } },
      {
        type: 'file',
        source: { type: 'base64', media_type: 'text/plain', data: '', filename: 'f' },
      },
      { type: 'tool_use', id: '1', name: 'n', input: {} },
      { type: 'tool_result', tool_use_id: '1', content: 'c', is_error: false },
      { type: 'server_tool_use', id: '2', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: '2', content: [] },
      { type: 'made_up_tomorrow', anything: [1] },
    ];
    const { context, reports } = await runLocally('post-model-call', semantics, {}, [
      (ctx) => {
        ctx.content = content;
      },
    ]);
    expect(reports[0]?.error).toBeUndefined();
    expect(context['content']).toEqual(content);
  });

  it('does not change the type of a tool’s result', async () => {
    const toolResponse = { type: 'tool_result', tool_use_id: 't1', content: 'long '.repeat(2_000) };
    const run = (hook: Hook) => runLocally('post-tool-use', semantics, { toolResponse }, [hook]);
    const cut = await run((ctx) => {
      ctx.toolResponse.content = ctx.toolResponse.content.slice(0, 4);
      ctx.additionalContext = 'retry';
    });
    expect(cut.context).toMatchObject({
      toolResponse: { ...toolResponse, content: 'long' },
      additionalContext: 'retry',
    });
    const swapped = await run((ctx) => {
      ctx.toolResponse = text('not a result');
    });
    expect(swapped.context['toolResponse']).toEqual(toolResponse);
    expect(swapped.reports[0]?.error?.code).toBe('INVALID_HOOK_CHANGE');
  });
});
