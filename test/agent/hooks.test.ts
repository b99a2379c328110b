import { describe, expect, it } from 'vitest';
import { brief, CLASSIC, converse, CURRENT, shown } from './conversation.js';

const tool = (text: string): string =>
  `export default { description: 'd', input_schema: { type: 'object' }, execute: async () => ({ content: ${JSON.stringify(text)}, isError: false }) }`;
const hook = (body: string): string => `export default async (ctx) => { ${body} }`;
const calls = (name: string): string =>
  `ctx.content.push({ type: 'tool_use', id: 'mine', name: ${JSON.stringify(name)}, input: {} });`;

describe.each([
  ['classic', CLASSIC],
  ['current', CURRENT],
])('hooks with %s semantics', (_, api) => {
  it('rewrite the request to the model', async () => {
    const { requests } = await converse({
      plugins: [
        {
          api,
          hooks: {
            'user-prompt-submit': hook(
              `ctx.latestMessages.at(-1).content[0].text += ' [' + ctx.prompt + ',' + ctx.originalMessages.length + ']';`,
            ),
            'pre-model-call': hook(`ctx.systemPrompt = (ctx.systemPrompt ?? '') + ' Be brief.';`),
          },
        },
      ],
      says: ['ok'],
      options: { system: 'You help.' },
    });
    expect(requests[0]).toMatchObject({ system: 'You help. Be brief.' });
    expect(brief(requests[0]?.messages ?? [])).toEqual(['user: hello [hello,1]']);
  });

  it('rewrite the reply before it is stored', async () => {
    const { result } = await converse({
      plugins: [{ api, hooks: { 'post-model-call': hook(`ctx.content[0].text = 'ahoy';`) } }],
      says: ['hello'],
    });
    expect(brief(result.messages).at(-1)).toBe('assistant: ahoy');
  });

  it('defer a reply, which is then shown once, with their changes', async () => {
    const { events } = await converse({
      plugins: [
        {
          api,
          hooks: {
            'pre-model-call': hook('ctx.deferAssistantOutput = true;'),
            'post-model-call': hook(`ctx.content[0].text = 'clean';`),
          },
        },
      ],
      says: ['dirty'],
    });
    expect(shown(events)).toEqual(['clean']);
  });

  it('add tool calls to a reply, which run, and remove tool calls, which do not', async () => {
    const added = await converse({
      plugins: [
        {
          api,
          tools: { note: tool('noted') },
          hooks: {
            'post-model-call': hook(`if (ctx.content[0].text === 'one') { ${calls('note')} }`),
          },
        },
      ],
      says: ['one', 'two'],
    });
    expect(brief(added.result.messages)).toContain('user: result noted');

    const removed = await converse({
      plugins: [
        {
          api,
          tools: { note: tool('noted') },
          hooks: {
            'post-model-call': hook(
              `ctx.content = ctx.content.filter((b) => b.type !== 'tool_use');`,
            ),
          },
        },
      ],
      says: [
        {
          content: [
            { type: 'text', text: 'no tools' },
            { type: 'tool_use', id: 'x', name: 'note', input: {} },
          ],
          stopReason: 'tool_use',
        },
      ],
    });
    expect(brief(removed.result.messages)).toEqual(['user: hello', 'assistant: no tools']);
  });

  it('add no tool calls if the host drops them, or if the reply was truncated', async () => {
    const plugins = [
      { api, tools: { note: tool('noted') }, hooks: { 'post-model-call': hook(calls('note')) } },
    ];
    const dropped = await converse({
      plugins,
      says: ['one'],
      options: { toolUsesOfHooks: 'drop' },
    });
    expect(brief(dropped.result.messages)).toEqual(['user: hello', 'assistant: one']);

    const cut = await converse({
      plugins,
      says: [{ content: [{ type: 'text', text: 'one' }], stopReason: 'max_tokens' }],
    });
    expect(brief(cut.result.messages)).toEqual(['user: hello', 'assistant: one']);
  });

  it('rewrite a result and add text, but cannot change the call of the result', async () => {
    const { result } = await converse({
      plugins: [
        {
          api,
          tools: { read: tool('long text') },
          hooks: {
            'post-tool-use': hook(
              `ctx.toolResponse.content = ctx.toolResponse.content.slice(0, 4);
               ctx.toolResponse.tool_use_id = 'other';
               ctx.additionalContext = 'read less';`,
            ),
          },
        },
      ],
      says: [{ read: {} }, 'ok'],
    });
    expect(brief(result.messages)).toEqual([
      'user: hello',
      'assistant: calls read',
      'user: result long',
      'user: read less',
      'assistant: ok',
    ]);
    expect(result.messages[2]?.content[0]?.['tool_use_id']).toBe('use-1-0');
  });

  it('that throw do not affect the turn', async () => {
    const names = [
      'user-prompt-submit',
      'pre-model-call',
      'post-model-call',
      'post-tool-use',
      'stop',
    ];
    const { result } = await converse({
      plugins: [
        {
          api,
          tools: { read: tool('text') },
          hooks: Object.fromEntries(names.map((name) => [name, hook('throw new Error("no");')])),
        },
      ],
      says: [{ read: {} }, 'ok'],
    });
    expect(result.exitReason).toBe('no_tool_calls');
    expect(brief(result.messages).at(-1)).toBe('assistant: ok');
  });

  it('of plugins that the conversation does not enable do not run', async () => {
    const { result } = await converse({
      plugins: [{ api, hooks: { 'post-model-call': hook(`ctx.content[0].text = 'ahoy';`) } }],
      says: ['hello'],
      input: { enabledPlugins: [] },
    });
    expect(brief(result.messages).at(-1)).toBe('assistant: hello');
  });
});
