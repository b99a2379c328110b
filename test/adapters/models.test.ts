import { describe, expect, it } from 'vitest';
import { runToolUse, toAnthropicTools, toToolResult } from '../../src/adapters/anthropic.js';
import {
  runFunctionCall,
  runToolCall,
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

describe('for OpenAI', () => {
  it('tools have the shapes of chat completions and of responses', () => {
    const definition = { name: 'm__add', description: 'Adds', parameters, strict: false };
    expect(toChatTools(tools)).toEqual([{ type: 'function', function: definition }]);
    expect(toResponsesTools(tools)).toEqual([{ type: 'function', ...definition }]);
  });

  it('calls are run, and answered whatever the model wrote', async () => {
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

describe('for Anthropic', () => {
  it('tools have the shape of messages, and calls are run', async () => {
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

describe('what is no text', () => {
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

  it('is handed over where the model can see it, and named where it cannot', () => {
    expect(toToolResult('u', result).content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'text', text: '[audio: audio/wav]' },
      { type: 'text', text: 'https://a.example/f' },
    ]);
    expect(toText(result)).toBe('\n[image: image/png]\n[audio: audio/wav]\nhttps://a.example/f');
  });
});
