import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/agent/message.js';
import type { Model, ModelReply } from '../../../src/agent/model.js';
import { anthropicModel } from '../../../src/agent/models/anthropic.js';
import type { Endpoint } from '../../../src/agent/models/endpoint.js';
import { openAiModel } from '../../../src/agent/models/openai.js';
import { events, serveModel } from './server.js';

const ask = async (
  model: Model,
  messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
): Promise<{ readonly reply: ModelReply; readonly texts: readonly string[] }> => {
  const texts: string[] = [];
  const reply = await model.respond(
    {
      system: 'Be kind.',
      messages,
      tools: [{ name: 'add', description: 'Adds', inputSchema: { type: 'object' } }],
    },
    { onText: (text) => texts.push(text), signal: new AbortController().signal },
  );
  return { reply, texts };
};

const conversation: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'add 1 and 2' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Adding.' },
      { type: 'tool_use', id: 't1', name: 'add', input: { a: 1, b: 2 } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 't1',
        content: '3',
        is_error: false,
        contentBlocks: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      { type: 'text', text: 'mind the sign' },
    ],
  },
];

describe('a model that speaks OpenAI’s Chat Completions', () => {
  const call = (index: number, rest: object): object => ({
    choices: [{ delta: { tool_calls: [{ index, ...rest }] } }],
  });
  const stream = events(
    { choices: [{ delta: { role: 'assistant', content: '' } }] },
    { choices: [{ delta: { content: 'Let me' } }] },
    { choices: [{ delta: { content: ' see.' } }] },
    call(0, { id: 'c1', function: { name: 'add', arguments: '{"a"' } }),
    call(1, { id: 'c2', function: { name: 'add', arguments: '{"a":5}' } }),
    call(0, { function: { arguments: ':1}' } }),
    { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
    '[DONE]',
  );

  it('streams text, and gathers tool calls that come in pieces', async () => {
    const { url, asked } = await serveModel([{ pieces: stream }]);
    const { reply, texts } = await ask(openAiModel({ url: `${url}/v1`, model: 'm', apiKey: 'k' }));
    expect(texts).toEqual(['Let me', ' see.']);
    expect(reply).toEqual({
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'c1', name: 'add', input: { a: 1 } },
        { type: 'tool_use', id: 'c2', name: 'add', input: { a: 5 } },
      ],
      stopReason: 'tool_use',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
    expect(asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k' },
      body: {
        model: 'm',
        stream: true,
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'hi' },
        ],
        tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
      },
    });
  });

  it('reads the same however the stream is cut, and with other ends of lines', async () => {
    const whole = stream.join('');
    const cut = whole.match(/[^]{1,7}/g) ?? [];
    const { url } = await serveModel([
      { pieces: cut },
      { pieces: [whole.replaceAll('\n', '\r\n')] },
    ]);
    const model = openAiModel({ url, model: 'm' });
    const { reply: first } = await ask(model);
    const { reply: second } = await ask(model);
    expect(first.content).toHaveLength(3);
    expect(second).toEqual(first);
  });

  it('takes an answer that is not streamed', async () => {
    const { url } = await serveModel([
      {
        type: 'application/json',
        pieces: [
          JSON.stringify({
            choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
          }),
        ],
      },
    ]);
    expect((await ask(openAiModel({ url, model: 'm' }))).reply).toMatchObject({
      content: [{ type: 'text', text: 'whole' }],
      stopReason: 'end_turn',
    });
  });

  it('is told calls, results and pictures as that protocol writes them', async () => {
    const { url, asked } = await serveModel([{ pieces: events('[DONE]') }]);
    await ask(openAiModel({ url, model: 'm' }), conversation);
    expect(asked[0]?.body['messages']).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'add 1 and 2' },
      {
        role: 'assistant',
        content: 'Adding.',
        tool_calls: [
          { id: 't1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
        ],
      },
      { role: 'tool', tool_call_id: 't1', content: '3' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'mind the sign' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
  });
});

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

  it('streams text, and gathers tool calls that come in pieces', async () => {
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

  it('takes an answer that is not streamed', async () => {
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

  it('is told a result’s pictures as part of it', async () => {
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

  it('fails with what the stream says went wrong', async () => {
    const { url } = await serveModel([
      { pieces: events({ type: 'error', error: { type: 'overloaded', message: 'Overloaded' } }) },
    ]);
    await expect(ask(anthropicModel({ url, model: 'm' }))).rejects.toThrow('Overloaded');
  });
});

describe.each<[string, (endpoint: Endpoint) => Model]>([
  ['OpenAI’s', openAiModel],
  ['Anthropic’s', anthropicModel],
])('an endpoint of %s kind', (_, make) => {
  it('that refuses is told in its own words, without the key', async () => {
    const { url } = await serveModel([
      {
        status: 401,
        type: 'application/json',
        pieces: [JSON.stringify({ error: { message: 'no such key' } })],
      },
    ]);
    const error = await ask(make({ url, model: 'm', apiKey: 'sk-secret' })).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { status: 401 } });
    expect(String(error)).toMatch(/answered 401: no such key/);
    expect(String(error)).not.toContain('sk-secret');
  });

  it('that is not there is named', async () => {
    await expect(ask(make({ url: 'http://127.0.0.1:9', model: 'm' }))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/127\.0\.0\.1:9.*could not be reached/),
    });
  });

  it('that sends the key elsewhere is not followed', async () => {
    const elsewhere = await serveModel([]);
    const model = make({
      url: 'http://127.0.0.1:1',
      model: 'm',
      apiKey: 'k',
      fetch: (_input, init) => {
        expect(init?.redirect).toBe('error');
        return Promise.resolve(new Response('moved', { status: 302 }));
      },
    });
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(elsewhere.asked).toEqual([]);
  });

  it('that sends no JSON is no model', async () => {
    const { url } = await serveModel([{ pieces: ['data: <html>\n\n'] }]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('that never stops sending is stopped', async () => {
    const { url } = await serveModel([
      { pieces: Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)) },
    ]);
    await expect(ask(make({ url, model: 'm' }))).rejects.toThrow(/sent more than/);
  });
});
