/**
 * The parts of the optional peers that the adapters use. The peers are not installed here, so that an
 * install stays small: `npm run test:adapters` checks the adapters against the packages' own types.
 */

declare module 'ai' {
  export type ToolSet = Record<string, object>;
}

declare module '@langchain/core/tools' {
  export class DynamicStructuredTool {
    name: string;
    description: string;
    func: (...args: never[]) => unknown;
    constructor(fields: {
      readonly name: string;
      readonly description: string;
      readonly schema: object;
      readonly func: (...args: never[]) => unknown;
    });
    call(input: unknown, config?: unknown, tags?: string[]): Promise<unknown>;
  }
}

declare module '@langchain/core/messages' {
  export const ToolMessage: new (fields: {
    readonly content: string | object[];
    readonly tool_call_id: string;
    readonly name?: string;
    readonly status?: 'success' | 'error';
    readonly artifact?: unknown;
  }) => object;
}

declare module '@openai/agents' {
  export interface FunctionTool {
    readonly type: 'function';
    readonly name: string;
  }
  export function tool(options: {
    readonly name: string;
    readonly description: string;
    readonly strict: false;
    readonly parameters: object;
    readonly needsApproval: (context: unknown, input: unknown, id?: string) => Promise<boolean>;
    readonly execute: (
      input: unknown,
      context?: unknown,
      details?: { readonly toolCall?: { readonly callId: string }; readonly signal?: AbortSignal },
    ) => Promise<unknown>;
  }): FunctionTool;
}

declare module '@mastra/core/tools' {
  export interface Tool {
    readonly id: string;
  }
  export function createTool<Output>(options: {
    readonly id: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: object;
    readonly requireApproval: (input: unknown) => Promise<boolean>;
    readonly execute: (
      input: unknown,
      context?: {
        readonly abortSignal?: AbortSignal;
        readonly writer?: { write(chunk: object): Promise<unknown> };
      },
    ) => Promise<Output>;
    readonly toModelOutput: (output: Output) => object;
  }): Tool;
}

declare module '@anthropic-ai/claude-agent-sdk' {
  export interface McpSdkServerConfigWithInstance {
    readonly type: 'sdk';
    readonly name: string;
    readonly instance: unknown;
  }
  export type CanUseTool = (
    toolName: string,
    input: Record<string, unknown>,
    options: { readonly signal: AbortSignal },
  ) => Promise<
    | { readonly behavior: 'allow'; readonly updatedInput: Record<string, unknown> }
    | { readonly behavior: 'deny'; readonly message: string }
  >;
}
