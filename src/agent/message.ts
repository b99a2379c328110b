import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** One message of a conversation, in the form that Vellum's hooks see. */
export type Message = JsonObject & {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
};

/** Part of a message. Types that are not known here pass through untouched. */
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

/** The text of a message, without what is no text. */
export function textOfBlocks(blocks: readonly Block[]): string {
  return blocks
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}

/** A list of messages that a chain of hooks left: the chain has checked each that a hook made. */
export function readMessages(value: Json | undefined): readonly Message[] {
  return listOf(value).filter(isMessage);
}

export function readBlocks(value: Json | undefined): readonly Block[] {
  return listOf(value).filter(isBlock);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMessage(value: Json): value is Message {
  return (
    isObject(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant') &&
    Array.isArray(value['content'])
  );
}

export function isBlock(value: Json | undefined): value is Block {
  return isObject(value) && typeof value['type'] === 'string';
}
