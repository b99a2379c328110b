import type { Message } from '../../../src/agent/message.js';
import type { Model, ModelReply } from '../../../src/agent/model.js';

export const ask = async (
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

export const conversation: readonly Message[] = [
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
