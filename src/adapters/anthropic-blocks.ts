import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { Engine } from '../engine/engine-api.js';
import type { CallOptions } from '../engine/types/options.js';
import type { ContentBlock } from '../plugin/answer.js';
import { callForModel, labelOf, type ModelResult } from './models.js';

/** A tool in the form of Anthropic's messages. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonObject & { readonly type: 'object' };
}

/** A call in a message. */
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

/** The catalog's tools for `tools` of a message, with their schemas unchanged. */
export function toAnthropicTools(tools: readonly CatalogTool[]): AnthropicTool[] {
  return tools.map(({ name, description, inputSchema }) => {
    // The catalog's schemas are frozen, and SDKs write into them.
    const schema: JsonObject = JSON.parse(JSON.stringify(inputSchema));
    return { name, description, input_schema: { ...schema, type: 'object' } };
  });
}

/** Runs a call of a message. A mistake of the model or a failure of the tool is in the result. */
export async function runToolUse(
  engine: Pick<Engine, 'call'>,
  { id, name, input }: AnthropicToolUse,
  options: CallOptions = {},
): Promise<AnthropicToolResult> {
  return toToolResult(id, await callForModel(engine, name, input, options));
}

/** A result as the block that answers a call. Text replaces content that a message does not support. */
export function toToolResult(
  toolUseId: string,
  { content, files = [], isError }: ModelResult,
): AnthropicToolResult {
  const links = files.map((text): AnthropicBlock => ({ type: 'text', text }));
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    // The API refuses empty text blocks.
    content: [...content.map(blockOf), ...links].filter(
      (block) => block.type !== 'text' || block.text !== '',
    ),
    is_error: isError,
  };
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

function blockOf(block: ContentBlock): AnthropicBlock {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const image = IMAGES.find((known) => known === block.mimeType);
  return block.type === 'image' && image !== undefined
    ? { type: 'image', source: { type: 'base64', media_type: image, data: block.data } }
    : { type: 'text', text: labelOf(block) };
}
