import { describe, expect, it } from 'vitest';
import type { CoreTool, Engine } from '../../../src/index.js';
import { startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

const core = (name: string): CoreTool => ({ name, execute: () => `${name} of the host` });

async function textOf(engine: Engine, tool: string): Promise<string | undefined> {
  return (await engine.call(tool, {})).content[0]?.text;
}

describe('a tool of the host’s own', () => {
  it('runs beside the plugins’, and owns its name even if a plugin wants it', async () => {
    const engine = await startEngine(
      [makeVellum({ name: 'mine', tools: { search: 'export default { execute: () => 1 }' } })],
      { coreTools: [core('search')] },
    );
    expect(await textOf(engine, 'search')).toBe('search of the host');
    expect(engine.catalog.find('search')).toMatchObject({
      id: '(core):search',
      source: 'core',
      risk: 'medium',
      confinement: 'host',
    });
    expect(engine.plugins()[0]?.problems).toMatchObject([
      { code: 'NAME_COLLISION', toolId: 'search' },
    ]);
  });

  it('is given input that fits, its signal and its caller’s context, and streams', async () => {
    const heard: string[] = [];
    const engine = await startEngine([], {
      coreTools: [
        {
          name: 'greet',
          inputSchema: {
            type: 'object',
            properties: { who: { type: 'string' } },
            required: ['who'],
          },
          risk: 'low',
          execute: async ({ who }, { metadata, signal, onOutput }) => {
            onOutput?.('on its way');
            return {
              content: { who: who ?? '', metadata, aborted: signal.aborted },
              status: 'said',
            };
          },
        },
      ],
    });
    const result = await engine.call(
      'greet',
      { who: 'you' },
      { context: { conversationId: 'c' }, onOutput: (chunk) => heard.push(chunk) },
    );
    expect(result).toMatchObject({
      isError: false,
      status: 'said',
      structured: { who: 'you', metadata: { conversationId: 'c' }, aborted: false },
    });
    expect(heard).toEqual(['on its way']);
    expect((await engine.call('greet', {})).code).toBe('INVALID_INPUT');
  });

  it('that throws or never ends fails as a plugin’s does', async () => {
    let aborted = false;
    const engine = await startEngine([], {
      coreTools: [
        { name: 'bad', execute: () => Promise.reject(new Error('no luck')) },
        {
          name: 'slow',
          execute: (_, { signal }) =>
            new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
        },
      ],
    });
    expect(await textOf(engine, 'bad')).toBe('Tool "bad" encountered an unexpected error: no luck');
    expect((await engine.call('slow', {}, { timeoutMs: 50 })).code).toBe('DEADLINE_EXCEEDED');
    expect(aborted).toBe(true);
  });

  it('is refused if it is not valid', async () => {
    const refused = (...coreTools: CoreTool[]): Promise<Engine> => startEngine([], { coreTools });
    for (const tools of [
      [core('has space')],
      [core('twice'), core('twice')],
      [{ ...core('x'), inputSchema: { $ref: 'https://example.com' } }],
    ]) {
      await expect(refused(...tools)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    }
  });
});
