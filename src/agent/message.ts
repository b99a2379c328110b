import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** One message of a conversation, in the form that Vellum's hooks see. */
export type Message = JsonObject & {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
};

/** Part of a message. Blocks of unknown types pass through unchanged. */
export type Block = JsonObject & { readonly type: string };

export type ToolUseBlock = Block & {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
};

export function isToolUse(block: Block): block is ToolUseBlock {
  return (
    block.type === 'tool_use' &&
    typeof block['id'] === 'string' &&
    typeof block['name'] === 'string'
  );
}

export function textBlock(text: string): Block {
  return { type: 'text', text };
}

/** The text blocks of a message as one text: pieces of one reply, so nothing separates them. */
export function textOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}

/** The messages that a chain of hooks returned. The chain has already checked each of them. */
export function readMessages(value: Json | undefined): readonly Message[] {
  return listOf(value).filter(isMessage);
}

export function readBlocks(value: Json | undefined): readonly Block[] {
  return listOf(value).filter(isBlock);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function isMessage(value: Json): value is Message {
  return (
    isRecord(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant') &&
    Array.isArray(value['content'])
  );
}

export function isBlock(value: Json | undefined): value is Block {
  return isRecord(value) && typeof value['type'] === 'string';
}
