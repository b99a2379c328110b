import { describe, expect, it } from 'vitest';
import { runToolUse, toAnthropicTools, toToolResult } from '../../src/adapters/anthropic.js';
import {
  runFunctionCall,
  runToolCall,
  runToolCalls,
  toChatTools,
  toResponsesTools,
  toText,
} from '../../src/adapters/openai.js';
import type { CallResult } from '../../src/index.js';
import { makePlugin, startEngine } from '../engine/plugin-on-disk.js';

const source = `export const tools = [{
  id: 'add', name: 'Add', description: 'Adds', annotations: { readOnlyHint: true },
  parameters: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  execute: ({ a }) => a + 1,
}]`;
const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const engine = await startEngine([makePlugin({ id: 'm', source })]);
const tools = engine.catalog.list();

describe('the OpenAI adapter', () => {
  it('describes tools for chat completions and for responses', () => {
    const definition = { name: 'm__add', description: 'Adds', parameters, strict: false };
    expect(toChatTools(tools)).toEqual([{ type: 'function', function: definition }]);
    expect(toResponsesTools(tools)).toEqual([{ type: 'function', ...definition }]);
  });

  it('runs calls, and answers calls that are not valid', async () => {
    const chat = (text: string, name = 'm__add'): Promise<unknown> =>
      runToolCall(engine, { id: 'c', function: { name, arguments: text } });
    expect(await chat('{"a":1}')).toEqual({ role: 'tool', tool_call_id: 'c', content: '2' });
    expect(await chat('{')).toMatchObject({
      content: expect.stringContaining('not JSON') as string,
    });
    expect(await chat('{"a":"x"}')).toMatchObject({
      content: expect.stringMatching(/^Error: /) as string,
    });
    expect(await chat('', 'nope')).toMatchObject({ content: 'Error: There is no tool nope.' });
    expect(
      await runFunctionCall(engine, { call_id: 'c', name: 'm__add', arguments: '{"a":1}' }),
    ).toEqual({ type: 'function_call_output', call_id: 'c', output: '2' });
  });
});

describe('the OpenAI adapter, with images and custom calls', () => {
  const drawing = {
    call: (name: string): Promise<CallResult> =>
      Promise.resolve({
        callId: 'c',
        isError: false,
        durationMs: 1,
        content: [
          { type: 'text', text: name },
          ...(name === 'draw'
            ? [{ type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }]
            : []),
        ],
      }),
  };
  const chat = (id: string, name: string) => ({ id, function: { name, arguments: '{}' } });

  it('passes the images of a completion after its tool messages', async () => {
    const calls = [chat('a', 'draw'), chat('b', 'say')];
    expect(await runToolCalls(drawing, calls)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'draw\n[image: image/png]' },
      { role: 'tool', tool_call_id: 'b', content: 'say' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The images of draw (a):' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ]);
    expect(await runToolCalls(drawing, [chat('b', 'say')])).toHaveLength(1);
  });

  it('passes the images of a response in its output', async () => {
    const call = { call_id: 'a', name: 'draw', arguments: '{}' };
    expect(await runFunctionCall(drawing, call)).toEqual({
      type: 'function_call_output',
      call_id: 'a',
      output: [
        { type: 'input_text', text: 'draw\n[image: image/png]' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    });
  });

  it('answers a custom call, and runs nothing', async () => {
    const custom = { type: 'custom', id: 'c', custom: { name: 'm__add', input: 'a=1' } } as const;
    expect(await runToolCall(engine, custom)).toEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: 'Error: m__add takes JSON arguments. Call it as a function.',
    });
  });

  it('gives schemas that an SDK may change', () => {
    expect(Object.isExtensible(toChatTools(tools)[0]?.function.parameters['properties'])).toBe(
      true,
    );
    expect(Object.isExtensible(toAnthropicTools(tools)[0]?.input_schema['properties'])).toBe(true);
  });
});

describe('the Anthropic adapter', () => {
  it('describes tools for messages, and runs calls', async () => {
    expect(toAnthropicTools(tools)).toEqual([
      { name: 'm__add', description: 'Adds', input_schema: parameters },
    ]);
    const use = { type: 'tool_use', id: 'u', name: 'm__add', input: { a: 1 } } as const;
    expect(await runToolUse(engine, use)).toEqual({
      type: 'tool_result',
      tool_use_id: 'u',
      content: [{ type: 'text', text: '2' }],
      is_error: false,
    });
    expect(await runToolUse(engine, { ...use, name: 'nope' })).toMatchObject({ is_error: true });
  });
});

describe('content that is not text', () => {
  const result: CallResult = {
    callId: 'c',
    isError: false,
    durationMs: 1,
    content: [
      { type: 'text', text: '' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'audio', mimeType: 'audio/wav', data: 'BBBB' },
    ],
    files: ['https://a.example/f'],
  };

  it('is passed on if the model supports it, and labelled otherwise', () => {
    expect(toToolResult('u', result).content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'text', text: '[audio: audio/wav]' },
      { type: 'text', text: 'https://a.example/f' },
    ]);
    expect(toText(result)).toBe('\n[image: image/png]\n[audio: audio/wav]\nhttps://a.example/f');
  });
});
