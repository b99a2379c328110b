import { describe, expect, it } from 'vitest';
import { anthropicModel } from '../../../src/agent/models/anthropic.js';
import { ask, conversation } from './asking.js';
import { events, serveModel } from './server.js';

describe('a model that speaks Anthropic’s Messages', () => {
  const stream = events(
    { type: 'message_start', message: { usage: { input_tokens: 11 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' see.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'u1', name: 'add', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"a":' },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '1}' },
    },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  );

  it('streams text, and joins tool calls that arrive in pieces', async () => {
    const { url, asked } = await serveModel([{ pieces: stream }]);
    const { reply, texts } = await ask(anthropicModel({ url, model: 'm', apiKey: 'k' }));
    expect(texts).toEqual(['Let me', ' see.']);
    expect(reply).toEqual({
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'u1', name: 'add', input: { a: 1 } },
      ],
      stopReason: 'tool_use',
      usage: { inputTokens: 11, outputTokens: 4 },
    });
    expect(asked[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: {
        system: 'Be kind.',
        max_tokens: 8192,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        tools: [{ name: 'add', description: 'Adds', input_schema: { type: 'object' } }],
      },
    });
  });

  it('reads an answer that is not streamed', async () => {
    const { url } = await serveModel([
      {
        type: 'application/json',
        pieces: [
          JSON.stringify({
            type: 'message',
            content: [{ type: 'text', text: 'whole' }],
            stop_reason: 'end_turn',
          }),
        ],
      },
    ]);
    const { reply, texts } = await ask(anthropicModel({ url, model: 'm' }));
    expect(reply).toMatchObject({ stopReason: 'end_turn' });
    expect(texts).toEqual(['whole']);
  });

  it('receives the images of a result as part of the result', async () => {
    const { url, asked } = await serveModel([{ pieces: stream }]);
    await ask(anthropicModel({ url, model: 'm' }), conversation);
    expect(asked[0]?.body['messages']).toMatchObject([
      conversation[0],
      conversation[1],
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: '3' }, { type: 'image' }],
          },
          { type: 'text', text: 'mind the sign' },
        ],
      },
    ]);
  });

  it('fails with the error of the stream', async () => {
    const { url } = await serveModel([
      { pieces: events({ type: 'error', error: { type: 'overloaded', message: 'Overloaded' } }) },
    ]);
    await expect(ask(anthropicModel({ url, model: 'm' }))).rejects.toThrow('Overloaded');
  });

  it.each(['', '/', '/v1', '/v1/', '/proxy/v1'])(
    'takes a base URL with or without its version: %j',
    async (suffix) => {
      const { url, asked } = await serveModel([{ pieces: stream }]);
      await ask(anthropicModel({ url: url + suffix, model: 'm', apiKey: 'k' }));
      const base = suffix.startsWith('/proxy') ? '/proxy' : '';
      expect(asked[0]?.path).toBe(`${base}/v1/messages`);
    },
  );
});
