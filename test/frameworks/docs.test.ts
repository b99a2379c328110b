import { readFileSync } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import Anthropic from '@anthropic-ai/sdk';
import { AIMessage } from '@langchain/core/messages';
import { FakeBuiltModel } from '@langchain/core/testing';
import { MemorySaver } from '@langchain/langgraph';
import { type Model, Usage } from '@openai/agents';
import { MockLanguageModelV3 } from 'ai-6/test';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Host, startHost } from './host.js';
import { ifSupported } from './supported.js';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');

/** A block of a heading, as a function: its imports become parameters, and its names are returned. */
async function runBlock(
  heading: string,
  given: Record<string, unknown>,
  index = 0,
  // oxlint-disable-next-line typescript/no-explicit-any -- the names that a block of the page defines
): Promise<any> {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const code = [...section.matchAll(/```js\n(.*?)```/gs)][index]?.[1] ?? '';
  const imports = [...code.matchAll(/^import \{ (.*?) \} from '(.*?)';$/gm)];
  const values: Record<string, unknown> = { ...given };
  for (const [, names = '', from = ''] of imports) {
    const module: Record<string, unknown> = await import(from === 'ai' ? 'ai-6' : from);
    for (const name of names.split(', ')) {
      expect(module, `${from} exports ${name}`).toHaveProperty(name);
      values[name] = module[name];
    }
  }
  const made = [...code.matchAll(/^const (?:\{ (.*?) \}|(\w+)) =/gm)].flatMap(
    ([, several, one]) => several?.split(', ') ?? [one],
  );
  const body = `return (async () => { ${code.replaceAll(/^import .*$/gm, '')}\nreturn { ${made.join(', ')} }; })()`;
  return new Function(...Object.keys(values), body)(...Object.values(values));
}

describe('docs/frameworks.md', () => {
  let host: Host;
  beforeAll(async () => {
    host = await startHost();
  });

  it('runs with the AI SDK', async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Hello, Ann.' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      }),
    });
    const { text, tools } = await runBlock('AI SDK', { engine: host.engine, model });
    expect(text).toBe('Hello, Ann.');
    expect(Object.keys(tools)).toContain('send');
  });

  it('asks a person with the AI SDK', async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => ({
        content:
          prompt.at(-1)?.role === 'tool'
            ? [{ type: 'text', text: JSON.stringify(prompt.at(-1)) }]
            : [{ type: 'tool-call', toolCallId: 'c1', toolName: 'send', input: '{"to":"ann"}' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      }),
    });
    const { text } = await runBlock('AI SDK', { engine: host.engine, model }, 1);
    expect(text).toContain('sent to ann');
  });

  it('asks a person with LangChain', async () => {
    const model = new FakeBuiltModel()
      .respondWithTools([{ name: 'send', args: { to: 'ann' }, id: 'c1' }])
      .respond(new AIMessage('done'));
    const checkpointer = new MemorySaver();
    const { messages } = await runBlock(
      'LangChain',
      { engine: host.engine, model, checkpointer },
      1,
    );
    expect(JSON.stringify(messages)).toContain('sent to ann');
  });

  it('asks a person with OpenAI Agents', async () => {
    const model: Model = {
      getResponse: async ({ input }) => ({
        usage: new Usage(),
        output:
          typeof input !== 'string' && input.at(-1)?.type === 'function_call_result'
            ? [
                {
                  type: 'message',
                  role: 'assistant',
                  status: 'completed',
                  content: [{ type: 'output_text', text: JSON.stringify(input.at(-1)) }],
                },
              ]
            : [
                {
                  type: 'function_call',
                  callId: 'c1',
                  name: 'send',
                  arguments: '{"to":"ann"}',
                  status: 'completed',
                },
              ],
      }),
      getStreamedResponse: () => {
        throw new Error('not used');
      },
    };
    const { finalOutput } = await runBlock('OpenAI Agents', { engine: host.engine, model }, 1);
    expect(finalOutput).toContain('sent to ann');
  });

  it('runs with LangChain', async () => {
    const model = new FakeBuiltModel()
      .respondWithTools([{ name: 'say', args: { to: 'ann' }, id: 'c1' }])
      .respond(new AIMessage('done'));
    const checkpointer = new MemorySaver();
    const { agent } = await runBlock('LangChain', { engine: host.engine, model, checkpointer });
    const { messages } = await agent.invoke(
      { messages: [{ role: 'user', content: 'hi' }] },
      { configurable: { thread_id: 'docs' } },
    );
    expect(JSON.stringify(messages)).toContain('hello ann');
  });

  it('runs with OpenAI Agents', async () => {
    const { agent } = await runBlock('OpenAI Agents', { engine: host.engine, model: 'gpt-5' });
    expect(agent.tools.map(({ name }: { name: string }) => name)).toContain('send');
  });

  it('runs with Anthropic', async () => {
    const bodies: string[] = [];
    const client = new Anthropic({
      apiKey: 'k',
      fetch: async (_url, init) => {
        bodies.push(JSON.stringify(init?.body));
        return Response.json({
          id: 'm',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [{ type: 'text', text: 'Hello, Ann.' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        });
      },
    });
    const { message } = await runBlock('Anthropic', {
      engine: host.engine,
      client,
      model: 'm',
    });
    expect(message.content).toMatchObject([{ text: 'Hello, Ann.' }]);
    expect(bodies[0]).toContain(String.raw`\"name\":\"send\"`);
  });

  it('answers the questions that wait, for Anthropic', async () => {
    const { approvals } = host.engine;
    const id = await approvals.request('send', { to: 'ann' }, { asker: 'a test' });
    await runBlock('Anthropic', { engine: host.engine, console: { log: () => {} } }, 1);
    expect(approvals.get(id)?.answer).toMatchObject({ verdict: 'once', by: 'ann' });
  });

  it('runs programs with a code mode', async () => {
    const { codeTool, executor } = await runBlock('Code modes of other frameworks', {
      engine: host.engine,
    });
    const code = `async () => codemode.say({ to: 'ann' })`;
    expect(await codeTool.execute({ code })).toMatchObject({ result: 'hello ann' });
    await executor.close();
  });

  it('runs with the Claude Agent SDK', async () => {
    const asked: { options: { mcpServers: object; canUseTool: unknown } }[] = [];
    async function* query(spec: (typeof asked)[number]) {
      asked.push(spec);
      yield* [];
    }
    await runBlock('Claude Agent SDK', { engine: host.engine, query });
    expect(Object.keys(asked[0]?.options.mcpServers ?? {})).toEqual(['bulkhead']);
    expect(asked[0]?.options.canUseTool).toBeTypeOf('function');
  });
});

await ifSupported('@mastra/core', async () => {
  it('docs/frameworks.md runs with Mastra', async () => {
    const { engine } = await startHost();
    const { agent } = await runBlock('Mastra', { engine, model: 'openai/gpt-5' });
    expect(Object.keys(await agent.listTools())).toContain('send');
  });

  it('docs/frameworks.md asks a person with Mastra', async () => {
    const { engine } = await startHost();
    const { InMemoryStore } = await import('@mastra/core/storage');
    const { MastraLanguageModelV2Mock } = await import('@mastra/core/test-utils/llm-mock');
    const model = new MastraLanguageModelV2Mock({
      doStream: async ({ prompt }: { prompt: { role: string }[] }) => {
        const last = prompt.at(-1);
        const parts =
          last?.role === 'tool'
            ? [
                { type: 'text-start', id: 't' },
                { type: 'text-delta', id: 't', delta: JSON.stringify(last) },
                { type: 'text-end', id: 't' },
              ]
            : [{ type: 'tool-call', toolCallId: 'c1', toolName: 'send', input: '{"to":"ann"}' }];
        const finishReason = last?.role === 'tool' ? 'stop' : 'tool-calls';
        const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
        return {
          stream: ReadableStream.from([
            { type: 'stream-start', warnings: [] },
            { type: 'response-metadata', id: 'r', modelId: 'm', timestamp: new Date(0) },
            ...parts,
            { type: 'finish', finishReason, usage },
          ]),
        };
      },
    } as never);
    const storage = new InMemoryStore();
    const { answers } = await runBlock('Mastra', { engine, model, storage }, 1);
    expect(answers).toEqual([expect.stringContaining('sent to ann')]);
  });
});
