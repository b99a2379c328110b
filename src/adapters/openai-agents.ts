import type { FunctionTool } from '@openai/agents';
import type { Engine } from '../engine/engine-api.js';
import { textOfResult, labelOf, type ModelResult } from './models.js';
import { loadPeer } from './peer.js';
import { type AdapterApprovals, type AdapterOptions, makeToolCalls } from './tool-calls.js';

export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';

/** An engine's tools for the OpenAI Agents SDK. */
export interface OpenaiAgentTools extends AdapterApprovals {
  /** For `tools` of an `Agent`. Calls that need approval interrupt the run. */
  readonly tools: FunctionTool[];
}

/**
 * Offers the engine's tools to the OpenAI Agents SDK. The tools are those of now. Rejects with
 * `INVALID_OPTIONS` if `@openai/agents` is not installed.
 */
export async function openaiAgentTools(
  engine: Engine,
  options: AdapterOptions = {},
): Promise<OpenaiAgentTools> {
  const { tool } = await loadPeer(
    'the OpenAI Agents SDK',
    '@openai/agents@^0.20',
    import('@openai/agents'),
  );
  const calls = makeToolCalls(engine, 'openai-agents', options);
  return {
    tools: calls.list().map(({ name, description, inputSchema }) =>
      tool({
        name,
        description,
        strict: false,
        parameters: { properties: {}, required: [], ...inputSchema, additionalProperties: true },
        needsApproval: async (_context, input, id) =>
          (await calls.ask({ name, input, id })) !== undefined,
        execute: async (input, _context, details) => {
          const id = details?.toolCall?.callId;
          const result = await calls.run({ name, input, id }, { signal: details?.signal });
          details?.signal?.throwIfAborted();
          return outputOf(result);
        },
      }),
    ),
    question: calls.question,
    answer: calls.answer,
  };
}

/** A text, or a list of items if the result has an image. The SDK has no flag for errors. */
function outputOf(result: ModelResult): string | object[] {
  if (result.isError) return `Error: ${textOfResult(result)}`;
  if (!result.content.some(({ type }) => type === 'image')) return textOfResult(result);
  const { content, files = [] } = result;
  return [
    ...content.map((block) => {
      if (block.type === 'text') return { type: 'text', text: block.text };
      const { type, mimeType: mediaType, data } = block;
      return type === 'image'
        ? { type, image: { data, mediaType } }
        : { type: 'text', text: labelOf(block) };
    }),
    ...files.map((text) => ({ type: 'text', text })),
  ];
}
