import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { events, serveModel } from '../agent/models/server.js';
import { lineOf, run } from './spawned.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-chat-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): string => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
};
write(
  'notes/package.json',
  '{"name":"notes","peerDependencies":{"@vellumai/plugin-api":"^0.8.0"}}',
);
write(
  'notes/tools/count.ts',
  `export default {
    description: 'Counts words',
    defaultRiskLevel: 'low',
    input_schema: { type: 'object', properties: { text: { type: 'string' } } },
    async execute({ text }: { text: string }) {
      return { content: String(text.split(' ').length), isError: false };
    },
  };`,
);
write(
  'notes/hooks/pre-model-call.ts',
  `export default async (ctx: { systemPrompt?: string }) => { ctx.systemPrompt = (ctx.systemPrompt ?? '') + ' Count well.'; };`,
);
const plugins = ['--plugins', join(root, 'notes')];
const script = write(
  'script.json',
  JSON.stringify({
    turns: [
      {
        prompt: 'how many words?',
        replies: [
          {
            content: [
              { type: 'text', text: 'Counting. ' },
              { type: 'tool_use', id: 'a', name: 'count', input: { text: 'one two three' } },
            ],
            stopReason: 'tool_use',
          },
          'Three.',
        ],
      },
      { prompt: 'thanks', replies: ['You are \u001b[31mwelcome.'] },
    ],
  }),
);

const CUT = JSON.stringify({
  turns: [
    {
      prompt: 'x',
      replies: [{ content: [{ type: 'text', text: 'I' }], stopReason: 'max_tokens' }],
    },
  ],
});

describe('bulkhead chat', () => {
  it('replays a conversation from a script, with tools that really run', async () => {
    const ended = await run(['chat', ...plugins, '--script', script, '--json']);
    expect(ended.code).toBe(0);
    expect(lineOf(ended)).toMatchObject({
      ok: true,
      turns: [
        { prompt: 'how many words?', text: 'Three.', exitReason: 'no_tool_calls', iterations: 2 },
        { prompt: 'thanks', iterations: 1 },
      ],
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '3' }] },
        { role: 'assistant', content: [{ text: 'Three.' }] },
        { role: 'user', content: [{ text: 'thanks' }] },
        { role: 'assistant' },
      ],
    });
  });

  it('shows the words of the model, and beside them what its tools do', async () => {
    const { code, stdout, stderr } = await run(['chat', ...plugins, '--script', script]);
    expect(code).toBe(0);
    expect(stdout).toContain('Counting. ');
    expect(stdout).toContain('Three.\n');
    expect(stdout).not.toContain('\u001b');
    expect(stderr).toMatch(/→ count \{"text":"one two three"\}/);
    expect(stderr).toMatch(/← 3/);
  });

  it('uses an endpoint, which receives the tools and the texts of hooks', async () => {
    const { url, asked } = await serveModel([
      {
        pieces: events(
          {
            choices: [
              {
                delta: {
                  tool_calls: [
                    { index: 0, id: 'c', function: { name: 'count', arguments: '{"text":"a b"}' } },
                  ],
                },
                finish_reason: 'tool_calls',
              },
            ],
          },
          '[DONE]',
        ),
      },
      { pieces: events({ choices: [{ delta: { content: 'Two.' }, finish_reason: 'stop' }] }) },
    ]);
    const { code, stdout } = await run(
      ['chat', ...plugins, '--model', `${url}/v1`, '--model-name', 'm1', '--system', 'Hi.'],
      'count a b\n/exit\nnever said\n',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('Two.');
    expect(asked).toHaveLength(2);
    expect(asked[0]?.body).toMatchObject({
      model: 'm1',
      messages: [{ role: 'system', content: 'Hi. Count well.' }, { content: 'count a b' }],
    });
    expect(asked[1]?.body['messages']).toContainEqual({
      role: 'tool',
      tool_call_id: 'c',
      content: '2',
    });
  });

  it.each([
    [[], 1, /--model URL, or --script FILE/],
    [['--model', 'nonsense'], 1, /http or https/],
    [['--model', 'http://me:hunter2@127.0.0.1:9'], 1, /name or password.*--key-env/],
    [['--model', 'http://127.0.0.1:9', '--protocol', 'telepathy'], 1, /openai or anthropic/],
    [['--script', join(root, 'none.json')], 1, /ENOENT/],
    [['--script', write('bad.json', '{')], 1, /is not JSON/],
    [['--script', write('worse.json', '{"turns":[{"prompt":"x"}]}')], 1, /"replies" in turn 1/],
    [['--model', 'http://127.0.0.1:9'], 4, /could not be reached/],
    [['--script', write('cut.json', CUT)], 5, /the turn ended: max_tokens_reached/],
  ])('with %j exits with %i and says why', async (args, code, why) => {
    const ended = await run(['chat', ...plugins, ...args], 'hello\n');
    expect(ended.stderr).toMatch(why);
    expect(ended.code).toBe(code);
  });
});
