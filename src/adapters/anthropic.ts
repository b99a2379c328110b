import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/options/options.js';
import type { CallResult } from '../engine/call/result.js';
import type { ContentBlock } from '../plugin/answer.js';

/** A tool as Anthropic's messages take it. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly type: 'object' };
}

/** A call as a message holds it. */
export interface AnthropicToolUse {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: AnthropicBlock[];
  readonly is_error: boolean;
}

export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: {
        readonly type: 'base64';
        readonly media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        readonly data: string;
      };
    };

/** The catalog's tools for `tools` of a message. Schemas are as their authors wrote them. */
export function toAnthropicTools(tools: readonly CatalogTool[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
  }));
}

/** Runs a call of a message. Never throws for what the model or the tool did wrong. */
export async function runToolUse(
  engine: Pick<Engine, 'call'>,
  { id, name, input }: AnthropicToolUse,
  options: CallOptions = {},
): Promise<AnthropicToolResult> {
  try {
    return toToolResult(id, await engine.call(name, input, options));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text }],
      is_error: true,
    };
  }
}

/** A result as the block that answers a call. What a message cannot hold is named in it. */
export function toToolResult(toolUseId: string, result: CallResult): AnthropicToolResult {
  const { content, files = [], isError } = result;
  const links = files.map((text): AnthropicBlock => ({ type: 'text', text }));
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: [...content.map(blockOf), ...links].filter(isSaid),
    is_error: isError,
  };
}

/** The API refuses blocks of text that are empty. */
function isSaid(block: AnthropicBlock): boolean {
  return block.type !== 'text' || block.text !== '';
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

function blockOf(block: ContentBlock): AnthropicBlock {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { type, mimeType, data } = block;
  const image = IMAGES.find((known) => known === mimeType);
  return type === 'image' && image !== undefined
    ? { type: 'image', source: { type: 'base64', media_type: image, data } }
    : { type: 'text', text: `[${type}: ${mimeType}]` };
}
