import type { Engine } from '../engine/engine-api.js';
import { type AnthropicBlock, toToolResult } from './anthropic-blocks.js';
import { throwFailure } from './models.js';
import { type AdapterApprovals, type AdapterOptions, makeToolCalls } from './tool-calls.js';
import type { OfferedTool } from './served.js';

/** An engine's tools for the tool runner of Anthropic's SDK. */
export interface AnthropicRunnerTools extends AdapterApprovals {
  /** For `tools` of `client.beta.messages.toolRunner`. */
  readonly tools: AnthropicRunnableTool[];
}

/** A tool in the form of the runner. */
export interface AnthropicRunnableTool {
  readonly type: 'custom';
  readonly name: string;
  readonly description: string;
  readonly input_schema: OfferedTool['inputSchema'];
  readonly run: (input: unknown, context?: AnthropicRunContext) => Promise<AnthropicBlock[]>;
  readonly parse: (content: unknown) => unknown;
}

export interface AnthropicRunContext {
  readonly toolUse?: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Offers the engine's tools to the tool runner. The tools are those of now. The runner has no approval,
 * so a call that needs one stores its question and waits until it is answered, expires or is aborted.
 * With the same `tool_use` after a restart, the call finds its question again.
 */
export function anthropicTools(engine: Engine, options: AdapterOptions = {}): AnthropicRunnerTools {
  const calls = makeToolCalls(engine, 'anthropic', options);
  return {
    tools: calls.list().map(({ name, description, inputSchema }) => ({
      type: 'custom',
      name,
      description,
      input_schema: inputSchema,
      parse: (content) => content,
      run: async (input, { toolUse, signal } = {}) => {
        const call = { name, input, id: toolUse?.id };
        await calls.hold(call, signal);
        const result = throwFailure(await calls.run(call, { signal }));
        return toToolResult('', result).content;
      },
    })),
    question: calls.question,
    answer: calls.answer,
  };
}
