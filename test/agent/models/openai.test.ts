import { describe, expect, it } from 'vitest';
import { openAiModel } from '../../../src/agent/models/openai.js';
import { ask, conversation } from './asking.js';
import { events, serveModel } from './server.js';

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

  it('streams text, and joins tool calls that arrive in pieces', async () => {
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

  it.each([
    ['repeat the index', { index: 0 }, { index: 0 }],
    ['have no index', {}, {}],
  ])('tells parallel calls apart that %s', async (_what, one, two) => {
    const piece = (given: object) => ({ choices: [{ delta: { tool_calls: [given] } }] });
    const { url } = await serveModel([
      {
        pieces: events(
          piece({ ...one, id: 'c1', function: { name: 'p1__echo', arguments: '{"n":' } }),
          piece({ ...one, id: 'c1', function: { name: 'p1__echo', arguments: '1}' } }),
          piece({ ...two, id: 'c2', function: { name: 'p1__echo', arguments: '{"n":2}' } }),
          { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
        ),
      },
    ]);
    const { reply } = await ask(openAiModel({ url, model: 'm' }));
    expect(reply.content).toEqual([
      { type: 'tool_use', id: 'c1', name: 'p1__echo', input: { n: 1 } },
      { type: 'tool_use', id: 'c2', name: 'p1__echo', input: { n: 2 } },
    ]);
    expect(reply.brokenCalls).toBeUndefined();
  });

  it('breaks a call whose input is not a whole JSON object', async () => {
    const piece = (id: string, input: unknown) => ({
      choices: [{ delta: { tool_calls: [{ id, function: { name: 'wipe', arguments: input } }] } }],
    });
    const { url } = await serveModel([
      {
        pieces: events(
          piece('a', '{"prefix":"tm'),
          piece('b', '[1]'),
          piece('c', '{"a":1}{"a":2}'),
          piece('d', ''),
          piece('e', { prefix: 'x' }),
          { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
        ),
      },
    ]);
    const { reply } = await ask(openAiModel({ url, model: 'm' }));
    expect([...(reply.brokenCalls?.keys() ?? [])]).toEqual(['a', 'b', 'c']);
    expect(reply.content.slice(3)).toMatchObject([{ input: {} }, { input: { prefix: 'x' } }]);
  });

  it('reads the same reply for any chunks and line ends', async () => {
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

  it('reads an answer that is not streamed', async () => {
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

  it('receives calls, results and images in the form of the protocol', async () => {
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
