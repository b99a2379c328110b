import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/agent/message.js';
import type { Model, ModelReply } from '../../../src/agent/model.js';
import { anthropicModel } from '../../../src/agent/models/anthropic.js';
import type { Endpoint } from '../../../src/agent/models/endpoint.js';
import { openAiModel } from '../../../src/agent/models/openai.js';
import { ask } from './asking.js';

/** Streams as five providers send them: two tool calls at once, and what each does differently. */
const STREAMS: Readonly<
  Record<string, { readonly make: (endpoint: Endpoint) => Model; readonly text: string }>
> = {
  // Pieces of JSON, an index for each call, an id in the first piece alone.
  OpenAI: {
    make: openAiModel,
    text: sse(
      chunk({ role: 'assistant', content: 'Let me ' }),
      chunk({ content: 'see — æøå 🚀.' }),
      calls({ index: 0, id: 'c1', function: { name: 'wipe', arguments: '' } }),
      calls({ index: 0, function: { arguments: '{"prefix":"tm' } }),
      calls({ index: 1, id: 'c2', function: { name: 'add', arguments: '{"a":' } }),
      calls({ index: 0, function: { arguments: 'p-1"}' } }),
      calls({ index: 1, function: { arguments: '1}' } }),
      end('tool_calls'),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
      '[DONE]',
    ),
  },
  // Named events, typed blocks, an end of each block and of the message.
  Anthropic: {
    make: anthropicModel,
    text: named(
      { type: 'message_start', message: { usage: { input_tokens: 7 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me.' } },
      { type: 'content_block_stop', index: 0 },
      toolStart(1, 'c1', 'wipe'),
      toolDelta(1, '{"prefix":"tm'),
      toolDelta(1, 'p-1"}'),
      { type: 'content_block_stop', index: 1 },
      toolStart(2, 'c2', 'add'),
      toolDelta(2, '{"a":1}'),
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ),
  },
  // Whole calls, all with index 0, and CRLF line ends.
  Gemini: {
    make: openAiModel,
    text: sse(
      calls({
        index: 0,
        id: 'c1',
        type: 'function',
        function: { name: 'wipe', arguments: '{"prefix":"tmp-1"}' },
      }),
      calls({ index: 0, id: 'c2', function: { name: 'add', arguments: '{"a":1}' } }),
      end('stop'),
      '[DONE]',
    ).replaceAll('\n', '\r\n'),
  },
  // Both calls in the chunk that ends the reply, with the id in each piece.
  Mistral: {
    make: openAiModel,
    text: sse(chunk({ role: 'assistant', content: '' }), {
      choices: [
        {
          delta: {
            tool_calls: [
              { id: 'c1', function: { name: 'wipe', arguments: '{"prefix": "tmp-1"}' }, index: 0 },
              { id: 'c2', function: { name: 'add', arguments: '{"a": 1}' }, index: 1 },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    }),
  },
  // No index, arguments as an object, comments between the events.
  Ollama: {
    make: openAiModel,
    text: `: keep-alive\n\n${sse(
      calls({ id: 'c1', function: { name: 'wipe', arguments: { prefix: 'tmp-1' } } }),
      calls({ id: 'c2', function: { name: 'add', arguments: { a: 1 } } }),
      end('tool_calls'),
      '[DONE]',
    )}`,
  },
};

describe.each(Object.entries(STREAMS))('a stream of %s', (_, { make, text }) => {
  const bytes = new TextEncoder().encode(text);
  const read = (part: Uint8Array): Promise<ModelReply> => {
    const headers = { 'content-type': 'text/event-stream' };
    const send = (): Promise<Response> =>
      Promise.resolve(new Response(part.slice().buffer, { headers }));
    return ask(make({ url: 'http://model.test', model: 'm', fetch: send })).then(
      ({ reply }) => reply,
    );
  };
  const runnable = ({ content, brokenCalls }: ModelReply): readonly Block[] =>
    content.filter(
      ({ type, id }) =>
        type === 'tool_use' && typeof id === 'string' && brokenCalls?.has(id) !== true,
    );

  it('has both calls if it is whole', async () => {
    expect(runnable(await read(bytes))).toEqual([
      { type: 'tool_use', id: 'c1', name: 'wipe', input: { prefix: 'tmp-1' } },
      { type: 'tool_use', id: 'c2', name: 'add', input: { a: 1 } },
    ]);
  });

  it('has no call that is not whole, wherever it is cut', async () => {
    const whole = runnable(await read(bytes));
    let failures = 0;
    for (let length = 0; length < bytes.length; length += 1) {
      const reply = await read(bytes.subarray(0, length)).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'MODEL_FAILED' });
        failures += 1;
      });
      // A reply that does not fail has its end, so it has everything.
      if (reply !== undefined) expect(runnable(reply)).toEqual(whole);
    }
    expect(failures).toBeGreaterThan(bytes.length / 2);
  });

  it('has no call that is not whole, if a gateway closes the stream of a provider that failed', async () => {
    const whole = runnable(await read(bytes));
    const events = text.split(/(?<=\n\n|\r\n\r\n)/);
    const close = make === anthropicModel ? named({ type: 'message_stop' }) : 'data: [DONE]\n\n';
    for (let count = 0; count <= events.length; count += 1) {
      const cut = [...events.slice(0, count), close].join('');
      const found = runnable(await read(new TextEncoder().encode(cut)));
      expect(found).toEqual(whole.slice(0, found.length));
    }
  });
});

function sse(...events: readonly (object | string)[]): string {
  return events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
}

function named(
  ...events: readonly { readonly type: string; readonly [key: string]: unknown }[]
): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

function chunk(delta: object): object {
  return { object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] };
}

function calls(...given: readonly object[]): object {
  return chunk({ tool_calls: given });
}

function end(reason: string): object {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

function toolStart(index: number, id: string, name: string) {
  const block = { type: 'tool_use', id, name, input: {} };
  return { type: 'content_block_start', index, content_block: block };
}

function toolDelta(index: number, json: string) {
  return {
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: json },
  };
}
