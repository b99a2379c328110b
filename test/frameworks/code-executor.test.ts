import { codeExecutor } from 'bulkhead/code-executor';
import { mastraTools } from 'bulkhead/mastra';
import { createBrowserCodeTool } from '@cloudflare/codemode/browser';
import { afterAll, describe, expect, it } from 'vitest';
import { startHost } from './host.js';
import { ifSupported } from './supported.js';

const executor = await codeExecutor({ timeoutMs: 30_000 });
afterAll(() => executor.close());

describe('the executor in @cloudflare/codemode', () => {
  it('runs the program of its tool, with the calls and the checks of an engine', async () => {
    const { engine, runs } = await startHost();
    const { execute } = createBrowserCodeTool({
      executor,
      tools: engine.catalog.list().map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: inputSchema as never,
        execute: async (input: unknown) => {
          const { isError, content } = await engine.call(name, input);
          const [{ text } = { text: '' }] = content;
          if (isError) throw new Error(text);
          return text;
        },
      })),
    });
    const { result, logs } = (await execute({
      code: `async () => {
        const all = await Promise.all(['ann', 'bob'].map((to) => codemode.say({ to })));
        try { await codemode.send({ to: 'eve' }); } catch (error) { console.log(error.message); }
        return all;
      }`,
    })) as { result: unknown; logs?: string[] };
    expect(result).toEqual(['hello ann', 'hello bob']);
    expect(logs?.[0]).toMatch(/approv/);
    expect(runs).toEqual(['say', 'say']);
    await expect(execute({ code: 'async () => { throw new Error("mine"); }' })).rejects.toThrow(
      'mine',
    );
  });
});

await ifSupported('@mastra/core', async () => {
  const { createCodeMode, noopObserve } = await import('@mastra/core/tools');

  describe('the executor as the transport of Mastra’s code mode', () => {
    it('runs the program of its tool, and no call that needs approval', async () => {
      const { engine, runs } = await startHost();
      const { tools } = await mastraTools(engine);
      const { tool } = createCodeMode({ tools }, executor);
      const result = await tool.execute?.(
        {
          code: `const said: any[] = await Promise.all(['ann', 'bob'].map((to) => external_say({ to })));
            try { await external_send({ to: 'eve' }); } catch (error) { console.log(error.message); }
            return said.map(({ content }) => content[0].text);`,
        } as never,
        { observe: noopObserve } as never,
      );
      expect(result).toMatchObject({ success: true, result: ['hello ann', 'hello bob'] });
      expect(JSON.stringify(result)).toMatch(/approv/);
      expect(runs).toEqual(['say', 'say']);
    });
  });
});
