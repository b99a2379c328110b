import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';

/** Describes why a message of a conversation is invalid; `undefined` if it is valid. */
export function messageProblem(
  message: Json,
  roles: readonly string[] = ['user', 'assistant'],
): string | undefined {
  if (!isRecord(message)) return 'is not a message';
  const { role, content } = message;
  if (typeof role !== 'string' || !roles.includes(role)) {
    return roles.length > 2
      ? `has a role that is none of ${roles.join(', ')}`
      : 'has a role that is neither user nor assistant';
  }
  if (!Array.isArray(content)) return 'has a content that is not a list of blocks';
  const list: readonly Json[] = content;
  for (const [index, block] of list.entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) return `has a block ${index} that ${problem}`;
  }
  return undefined;
}

/**
 * Describes why a content block is invalid; `undefined` if it is valid. Blocks of an unknown type
 * are valid, because providers add types often.
 */
export function blockProblem(block: Json): string | undefined {
  if (!isRecord(block)) return 'is not a block';
  const { type } = block;
  if (typeof type !== 'string') return 'has no type';
  const wanted = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  for (const [field, is] of Object.entries(wanted ?? {})) {
    if (!is(block[field])) return `is of type ${type} and has no usable ${field}`;
  }
  return undefined;
}

/** Describes why a `tool_result` block is invalid; `undefined` if it is valid. */
export function toolResultProblem(block: Json): string | undefined {
  if (!isRecord(block) || block['type'] !== 'tool_result')
    return 'is not a block of type tool_result';
  return blockProblem(block);
}

type Test = (value: unknown) => boolean;
const text: Test = (value) => typeof value === 'string';
const record: Test = isRecord;
const anything: Test = (value) => value !== undefined;
const source: Test = (value) =>
  isRecord(value) &&
  text(value['type']) &&
  (value['type'] !== 'base64' || (text(value['media_type']) && text(value['data'])));

/** The required fields of each block type. */
const BLOCKS: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  text: { text },
  thinking: { thinking: text },
  redacted_thinking: { data: text },
  image: { source },
  file: { source },
  tool_use: { id: text, name: text, input: record },
  tool_result: { tool_use_id: text, content: text },
  server_tool_use: { id: text, name: text, input: record },
  web_search_tool_result: { tool_use_id: text, content: anything },
};
