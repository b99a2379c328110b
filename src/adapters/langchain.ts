import type { DynamicStructuredTool } from '@langchain/core/tools';
import type { Engine } from '../engine/engine-api.js';
import { labelOf, textOfResult, type ModelResult } from './models.js';
import { outputsOf } from './outputs.js';
import { loadPeer } from './peer.js';
import {
  type AdapterApprovals,
  type AdapterOptions,
  makeToolCalls,
  type ToolCalls,
} from './tool-calls.js';
import type { OfferedTool } from './served.js';

export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';

/** An engine's tools for LangChain and LangGraph, version 1. */
export interface LangchainTools extends AdapterApprovals {
  /** For `tools` of `createAgent`, `bindTools` and `ToolNode`. */
  readonly tools: DynamicStructuredTool[];
  /** For `humanInTheLoopMiddleware({ interruptOn })`: calls that need approval interrupt the graph. */
  readonly interruptOn: Record<string, LangchainInterrupt>;
  /** The id of the stored question in an action request of an interrupt. */
  approvalIdOf(action: { readonly description?: string | undefined }): string | undefined;
}

/** The middleware's configuration of one tool. */
export interface LangchainInterrupt {
  readonly allowedDecisions: ('approve' | 'reject')[];
  /** Its first line is the id of the stored question. */
  readonly description: (call: LangchainCall) => Promise<string>;
  readonly when: (request: { readonly toolCall: LangchainCall }) => Promise<boolean>;
}

interface LangchainCall {
  readonly name: string;
  readonly args: object;
  readonly id?: string | undefined;
}

/**
 * Offers the engine's tools to LangChain. The tools are those of now. Rejects with `INVALID_OPTIONS` if
 * `@langchain/core` is not installed.
 */
export async function langchainTools(
  engine: Engine,
  options: AdapterOptions = {},
): Promise<LangchainTools> {
  const calls = makeToolCalls(engine, 'langchain', options);
  const makeTool = await loadToolMaker(calls);
  const offered = calls.list();
  const interrupt: LangchainInterrupt = {
    allowedDecisions: ['approve', 'reject'],
    when: async ({ toolCall: { name, args, id } }) =>
      (await calls.ask({ name, input: args, id })) !== undefined,
    description: async ({ name, args, id }) => {
      const question = await calls.ask({ name, input: args, id });
      if (question === undefined) return 'needs no approval';
      const { approvalId, why, shown } = question;
      return `${approvalId}\n${question.id} needs approval: ${why}\n${shown}`;
    },
  };
  return {
    tools: offered.map(makeTool),
    interruptOn: Object.fromEntries(offered.map(({ name }) => [name, interrupt])),
    approvalIdOf: ({ description = '' }) => /^apr_[0-9a-f-]{36}(?=\n)/.exec(description)?.[0],
    question: calls.question,
    answer: calls.answer,
  };
}

async function loadToolMaker(
  calls: ToolCalls,
): Promise<(tool: OfferedTool) => DynamicStructuredTool> {
  const [core, { ToolMessage }] = await loadPeer(
    'LangChain',
    '@langchain/core@^1.4',
    Promise.all([import('@langchain/core/tools'), import('@langchain/core/messages')]),
  );

  async function* run(name: string, input: unknown, config: RunConfig | undefined) {
    const { toolCall, signal } = config ?? {};
    const result = yield* outputsOf((onOutput) =>
      calls.run({ name, input, id: toolCall?.id }, { signal, onOutput }),
    );
    signal?.throwIfAborted();
    if (toolCall?.id === undefined) {
      if (result.isError) throw new Error(textOfResult(result));
      return contentOf(result);
    }
    return new ToolMessage({
      content: contentOf(result),
      tool_call_id: toolCall.id,
      name,
      status: result.isError ? 'error' : 'success',
      ...(result.structured === undefined ? {} : { artifact: result.structured }),
    });
  }

  /**
   * Does not check inputs against a plugin's schema: the engine does, in the plugin's own process,
   * because such a schema may take forever.
   */
  class PluginTool extends core.DynamicStructuredTool {
    override call(...args: Parameters<DynamicStructuredTool['call']>): Promise<unknown> {
      const { name, description, func } = this;
      const open = { type: 'object' as const };
      return new core.DynamicStructuredTool({ name, description, func, schema: open }).call(
        ...args,
      );
    }
  }

  return ({ name, description, inputSchema: schema }) =>
    new PluginTool({
      name,
      description,
      schema,
      func: (input: unknown, _manager: unknown, config?: RunConfig) => run(name, input, config),
    });
}

interface RunConfig {
  readonly toolCall?: { readonly id?: string };
  readonly signal?: AbortSignal;
}

/** A text, or content blocks if the result has an image. */
function contentOf(result: ModelResult): string | object[] {
  if (!result.content.some(({ type }) => type === 'image')) return textOfResult(result);
  const { content, files = [] } = result;
  return [
    ...content.map((block) => {
      if (block.type === 'text') return { type: 'text', text: block.text };
      const { type, mimeType, data } = block;
      return type === 'image' ? { type, mimeType, data } : { type: 'text', text: labelOf(block) };
    }),
    ...files.map((text) => ({ type: 'text', text })),
  ];
}
