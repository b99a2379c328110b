import type { Tool } from '@mastra/core/tools';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import { labelOf, throwFailure, type ModelResult } from './models.js';
import { loadPeer } from './peer.js';
import { type AdapterApprovals, type AdapterOptions, makeToolCalls } from './tool-calls.js';

export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';

/** An engine's tools for Mastra. Its approvals know the tool and the input of a call, not its id. */
export interface MastraTools extends AdapterApprovals {
  /** For `tools` of an `Agent`. Calls that need approval suspend the run. */
  readonly tools: Record<string, Tool>;
}

/**
 * Offers the engine's tools to Mastra. The tools are those of now. Rejects with `INVALID_OPTIONS` if
 * `@mastra/core` is not installed.
 */
export async function mastraTools(
  engine: Engine,
  options: AdapterOptions = {},
): Promise<MastraTools> {
  const { createTool } = await loadPeer(
    'Mastra',
    '@mastra/core@^1.71',
    import('@mastra/core/tools'),
  );
  const calls = makeToolCalls(engine, 'mastra', options);
  const tools = calls.list().map(({ name: id, title, description, inputSchema }) =>
    createTool({
      id,
      title,
      description,
      inputSchema: openSchema(inputSchema),
      requireApproval: async (input) => (await calls.ask({ name: id, input })) !== undefined,
      execute: async (input, { abortSignal: signal, writer } = {}) => {
        const writes: Promise<unknown>[] = [];
        const result = await calls.run(
          { name: id, input },
          {
            signal,
            onOutput: (text) => {
              const written = writer?.write({ type: 'output', text });
              // A reader that has gone does not fail the call.
              if (written !== undefined) writes.push(written.catch(() => undefined));
            },
          },
        );
        await Promise.all(writes);
        const { content, structured, files } = throwFailure(result);
        return { content, structured, files };
      },
      toModelOutput,
    }),
  );
  return {
    tools: Object.fromEntries(tools.map((tool) => [tool.id, tool])),
    question: calls.question,
    answer: calls.answer,
  };
}

/**
 * A standard schema that accepts every input: the engine checks inputs in the plugin's own process,
 * because a plugin's schema may take forever.
 */
function openSchema(schema: JsonObject): object {
  return {
    '~standard': {
      version: 1,
      vendor: 'bulkhead',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
}

interface MastraOutput {
  readonly content: ModelResult['content'];
  readonly structured: ModelResult['structured'];
  readonly files: ModelResult['files'] | undefined;
}

function toModelOutput({ content, files = [] }: MastraOutput): object {
  const value = [
    ...content.map((block) => {
      if (block.type === 'text') return { type: 'text', text: block.text };
      const { mimeType: mediaType, data } = block;
      return block.type === 'image'
        ? { type: 'media', data, mediaType }
        : { type: 'text', text: labelOf(block) };
    }),
    ...files.map((text) => ({ type: 'text', text })),
  ];
  return { type: 'content', value };
}
