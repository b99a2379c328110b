import { runFunctionCall, runToolCalls, toChatTools, toResponsesTools } from 'bulkhead/openai';
import { describe, expect, it } from 'vitest';
import { PIXEL, startHost } from './host.js';
import { ifSupported } from './supported.js';

await ifSupported('openai', async () => {
  const { default: OpenAI } = await import('openai');

  /** The real client, over a transport that answers as the API does. */
  const clientOf = (answers: readonly object[], bodies: Record<string, unknown>[]) =>
    new OpenAI({
      apiKey: 'k',
      maxRetries: 0,
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(init?.body as string));
        return Response.json(answers[bodies.length - 1]);
      },
    });

  describe('the usual loop of OpenAI’s SDK', () => {
    it('typechecks and runs with chat completions, with custom calls and images', async () => {
      const { engine, runs } = await startHost();
      const bodies: Record<string, unknown>[] = [];
      const reply = (message: object) => ({ id: 'x', choices: [{ index: 0, message }] });
      const client = clientOf(
        [
          reply({
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'a', type: 'function', function: { name: 'draw', arguments: '{}' } },
              { id: 'b', type: 'custom', custom: { name: 'say', input: 'x' } },
              { id: 'c', type: 'function', function: { name: 'say', arguments: '{"to":' } },
            ],
          }),
          reply({ role: 'assistant', content: 'done' }),
        ],
        bodies,
      );
      const messages: InstanceType<typeof OpenAI>['chat']['completions'] extends {
        create(body: infer Body, ...rest: never[]): unknown;
      }
        ? Extract<Body, { messages: unknown }>['messages']
        : never = [{ role: 'user', content: 'do it' }];
      const tools = toChatTools(engine.catalog.list());
      for (;;) {
        const { choices } = await client.chat.completions.create({ model: 'm', messages, tools });
        const message = choices[0]?.message;
        if (message?.tool_calls === undefined) break;
        messages.push(message, ...(await runToolCalls(engine, message.tool_calls)));
      }
      expect(bodies[1]?.['messages']).toMatchObject([
        { role: 'user' },
        { role: 'assistant' },
        { role: 'tool', tool_call_id: 'a' },
        { role: 'tool', tool_call_id: 'b', content: expect.stringContaining('Error: ') },
        { role: 'tool', tool_call_id: 'c', content: expect.stringContaining('not JSON') },
        {
          role: 'user',
          content: [
            { type: 'text' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
      ]);
      expect(runs).toEqual(['draw']);
    });

    it('typechecks and runs with responses', async () => {
      const { engine } = await startHost();
      const bodies: Record<string, unknown>[] = [];
      const client = clientOf(
        [
          {
            id: 'r1',
            output: [
              { type: 'function_call', call_id: 'a', name: 'say', arguments: '{"to":"ann"}' },
              { type: 'function_call', call_id: 'b', name: 'draw', arguments: '{}' },
            ],
          },
          { id: 'r2', output: [] },
        ],
        bodies,
      );
      const tools = toResponsesTools(engine.catalog.list());
      const first = await client.responses.create({ model: 'm', input: 'do it', tools });
      const outputs = await Promise.all(
        first.output.flatMap((item) =>
          item.type === 'function_call' ? [runFunctionCall(engine, item)] : [],
        ),
      );
      await client.responses.create({
        model: 'm',
        previous_response_id: first.id,
        input: outputs,
        tools,
      });
      expect(bodies[1]?.['input']).toMatchObject([
        { call_id: 'a', output: 'hello ann' },
        { call_id: 'b', output: [{ type: 'input_text' }, { type: 'input_image' }] },
      ]);
    });
  });
});
