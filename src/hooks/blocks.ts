import type { Json } from '../../sandbox/wire/messages.js';
import { isRecord } from '../../sandbox/wire/parse.js';

/** What is wrong with a message of a conversation, if anything is. */
export function messageProblem(message: Json): string | undefined {
  if (!isRecord(message)) return 'is no message';
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant')
    return 'has a role that is neither user nor assistant';
  if (!Array.isArray(content)) return 'has a content that is no list of blocks';
  const list: readonly Json[] = content;
  for (const [index, block] of list.entries()) {
    const problem = blockProblem(block);
    if (problem !== undefined) return `has a block ${index} that ${problem}`;
  }
  return undefined;
}

/**
 * What is wrong with a block of content, if anything is. Blocks of a type that is not known pass:
 * providers add types all the time.
 */
export function blockProblem(block: Json): string | undefined {
  if (!isRecord(block)) return 'is no block';
  const { type } = block;
  if (typeof type !== 'string') return 'has no type';
  const wanted = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  for (const [field, is] of Object.entries(wanted ?? {})) {
    if (!is(block[field])) return `is of type ${type} and has no usable ${field}`;
  }
  return undefined;
}

/** What is wrong with the block that holds a tool's result, if anything is. */
export function toolResultProblem(block: Json): string | undefined {
  if (!isRecord(block) || block['type'] !== 'tool_result') return 'is no block of type tool_result';
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

/** The fields without which a block of that type is none. */
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
