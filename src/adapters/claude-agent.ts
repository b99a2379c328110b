import type { CanUseTool, McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import type { Engine } from '../engine/engine-api.js';
import { loadSdk } from './mcp/server.js';
import { toMcpResult } from './mcp/shapes.js';
import { type AdapterApprovals, type AdapterOptions, makeToolCalls } from './tool-calls.js';

export type { AdapterApprovals, AdapterOptions, CallReference } from './tool-calls.js';

/** An engine's tools for the Claude Agent SDK. */
export interface ClaudeAgentTools extends AdapterApprovals {
  /** For `mcpServers` of the options. */
  readonly mcpServers: Record<string, McpSdkServerConfigWithInstance>;
  /**
   * For `canUseTool` of the options. Allows a call of this engine's tools, or waits until its question
   * is answered. Denies every other tool, unless `otherTools` decides about it.
   */
  readonly canUseTool: CanUseTool;
}

export interface ClaudeAgentOptions extends AdapterOptions {
  /** The server's name, in `mcp__<name>__<tool>`. Default: `bulkhead`. */
  readonly serverName?: string;
  /** Decides about tools that are not this engine's. Default: they are denied. */
  readonly otherTools?: CanUseTool;
}

/**
 * Offers the engine's tools to the Claude Agent SDK, as an MCP server in this process. A server serves
 * one query: call it for each. Rejects with `INVALID_OPTIONS` if `@modelcontextprotocol/server` is not
 * installed.
 */
export async function claudeAgentTools(
  engine: Engine,
  { serverName = 'bulkhead', otherTools, ...options }: ClaudeAgentOptions = {},
): Promise<ClaudeAgentTools> {
  const { Server } = await loadSdk();
  const calls = makeToolCalls(engine, 'claude-agent', options);
  const instance = new Server(
    { name: serverName, version: '1.0.0' },
    { capabilities: { tools: {} } },
  );
  instance.setRequestHandler('tools/list', () => ({
    tools: calls.list().map((tool) => ({ ...tool })),
  }));
  instance.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: input = {} } = params;
    const result = await calls.run({ name, input }, { signal: mcpReq.signal });
    return instance.projectCallToolResult(toMcpResult(result), undefined);
  });
  const prefix = `mcp__${serverName}__`;
  return {
    mcpServers: { [serverName]: { type: 'sdk', name: serverName, instance } },
    canUseTool: async (toolName, input, details) => {
      // guard: other-tools-denied
      if (!toolName.startsWith(prefix)) {
        if (otherTools !== undefined) return otherTools(toolName, input, details);
        return { behavior: 'deny', message: `${toolName} is not a tool of ${serverName}.` };
      }
      const call = { name: toolName.slice(prefix.length), input };
      const denial = calls.denial(call);
      if (denial !== undefined) return { behavior: 'deny', message: denial };
      await calls.hold(call, details.signal);
      // The engine spends the answer. Without one, the call fails with the reason.
      return { behavior: 'allow', updatedInput: input };
    },
    question: calls.question,
    answer: calls.answer,
  };
}
