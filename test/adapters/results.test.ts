import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toToolResult } from '../../src/adapters/anthropic.js';
import { toMcpResult } from '../../src/adapters/mcp/shapes.js';
import { toText } from '../../src/adapters/openai.js';
import type { CallResult, Engine, Json } from '../../src/index.js';
import { responseOf } from '../../src/http/vertesia/protocol.js';
import { serveMcp } from '../remotes/mcp/servers.js';
import { idOf, serveTools, weather } from '../remotes/vertesia/server.js';
import { makeDirectory, makePlugin, startEngine } from '../engine/plugin-on-disk.js';
import { answering, makeExtension } from '../engine/extension-on-disk.js';
import { startVellum } from '../engine/vellum-on-disk.js';

interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly data?: Json;
}

/** What came out, as each of those that we hand results to is told it. */
const targets: Readonly<Record<string, (result: CallResult) => Told>> = {
  MCP: (result) => {
    const { content, structuredContent, isError = false } = toMcpResult(result);
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return {
      isError,
      text,
      ...(structuredContent === undefined ? {} : { data: structuredContent as Json }),
    };
  },
  Vertesia: (result) => {
    try {
      const body = responseOf('u', result) as { content: string; is_error: boolean };
      return { isError: body.is_error, text: body.content };
    } catch (error) {
      return { isError: true, text: (error as Error).message };
    }
  },
  OpenAI: (result) => {
    const text = toText(result);
    return { isError: text.startsWith('Error: '), text: text.replace(/^Error: /, '') };
  },
  Anthropic: (result) => {
    const { content, is_error: isError } = toToolResult('u', result);
    return {
      isError,
      text: content.map((block) => ('text' in block ? block.text : '')).join('\n'),
    };
  },
};

/** The same three outcomes, in each system's own way of having them. */
interface Source {
  readonly engine: () => Promise<Engine>;
  readonly text: string;
  readonly data?: string;
  readonly fails: string;
}

const sources: Readonly<Record<string, Source>> = {
  Pandora: {
    engine: () =>
      startEngine([
        makePlugin({
          id: 'p',
          tools: {
            text: `() => 'hello'`,
            data: `() => ({ n: 1 })`,
            fails: `() => { throw new Error('it broke') }`,
          },
        }),
      ]),
    text: 'p__text',
    data: 'p__data',
    fails: 'p__fails',
  },
  Vellum: {
    engine: () =>
      startVellum({
        tools: {
          text: vellumTool(`({ content: 'hello', isError: false })`),
          fails: vellumTool(`({ content: 'it broke', isError: true })`),
        },
      }),
    text: 'text',
    fails: 'fails',
  },
  Spindle: {
    engine: () => {
      const source = answering({
        text: `'hello'`,
        fails: `(() => { throw new Error('it broke') })()`,
      });
      return startEngine([makeExtension({ source })]);
    },
    text: 'text',
    fails: 'fails',
  },
  Vertesia: {
    engine: async () => {
      const tools = [weather, { ...weather, name: 'fails' }];
      const server = await serveTools({ tools }, ({ body }) => {
        const failing = JSON.stringify(body).includes('"fails"');
        return {
          body: {
            tool_use_id: idOf(body),
            content: failing ? 'it broke' : 'hello',
            is_error: failing,
          },
        };
      });
      return startEngine([], { remotes: [{ vertesia: server.url, id: 'v', allowPrivate: true }] });
    },
    text: 'v__weather',
    fails: 'v__fails',
  },
  MCP: {
    engine: async () => {
      const named = ['text', 'data', 'fails'].map((name) => ({
        name,
        inputSchema: { type: 'object' as const },
        annotations: { destructiveHint: false },
      }));
      const server = await serveMcp(named);
      server.answer = ({ name }) =>
        name === 'data'
          ? { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } }
          : {
              content: [{ type: 'text', text: name === 'text' ? 'hello' : 'it broke' }],
              isError: name === 'fails',
            };
      return startEngine([], {
        remotes: [{ mcp: server.url, id: 'm', allowPrivate: true }],
        storageDirectory: join(makeDirectory(), 'storage'),
      });
    },
    text: 'm__text',
    data: 'm__data',
    fails: 'm__fails',
  },
};

describe.each(Object.entries(sources))(
  'a result of %s',
  (_source, { engine, text, data, fails }) => {
    const ready = engine;

    it.each(Object.entries(targets))('is the same for %s', async (target, tell) => {
      const running = await ready();
      expect(tell(await running.call(text, {}))).toEqual({ isError: false, text: 'hello' });
      const failed = tell(await running.call(fails, {}));
      expect(failed.isError).toBe(true);
      expect(failed.text).toContain('it broke');
      expect(failed.text).not.toMatch(/\n\s+at /);
      if (data !== undefined) {
        expect(tell(await running.call(data, {}))).toEqual({
          isError: false,
          text: '{"n":1}',
          ...(target === 'MCP' ? { data: { n: 1 } } : {}),
        });
      }
      await running.close();
    });
  },
);

function vellumTool(answer: string): string {
  return `export default { description: 'd', defaultRiskLevel: 'low', input_schema: { type: 'object', properties: {} }, execute: async () => ${answer} };`;
}
