import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import {
  annotations,
  described,
  flag,
  identifier,
  number,
  pick,
  readBlock,
  readContents,
  text,
} from '../../plugin/mcp-content.js';
import type { McpList, McpQuestion } from '../../plugin/mcp-source.js';
import { remoteFailed } from '../description.js';

/** An item of a list, of its known fields only; `undefined` if it is not one. */
export function readItem(kind: McpList, value: unknown): JsonObject | undefined {
  if (!isRecord(value)) return undefined;
  if (kind === 'resources') return pick(value, { uri: identifier, name: text }, DESCRIBED);
  if (kind === 'templates') return pick(value, { uriTemplate: identifier, name: text }, DESCRIBED);
  const prompt = pick(value, { name: identifier }, { title: text, description: text });
  if (prompt === undefined) return undefined;
  const listed: unknown = value['arguments'];
  const all: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const read = all
    .slice(0, MAX_ARGUMENTS)
    .map((one) => (isRecord(one) ? pick(one, { name: identifier }, ARGUMENT) : undefined))
    .filter((one) => one !== undefined);
  return read.length === 0 ? prompt : { ...prompt, arguments: read };
}

/** The result of a question, of its known fields only. Throws `REMOTE_FAILED` for one without its content. */
export function readResult(method: McpQuestion, value: unknown, id: string): JsonObject {
  const result = isRecord(value) ? value : {};
  if (method === 'resources/read') {
    const contents = arrayOf(result['contents'], method, id)
      .map(readContents)
      .filter((one) => one !== undefined);
    return { contents };
  }
  if (method === 'prompts/get') {
    const messages = arrayOf(result['messages'], method, id).flatMap((one) => {
      if (!isRecord(one) || (one['role'] !== 'user' && one['role'] !== 'assistant')) return [];
      const content = readBlock(one['content']);
      return content === undefined ? [] : [{ role: one['role'], content }];
    });
    return { ...pick(result, {}, { description: text }), messages };
  }
  const completion = isRecord(result['completion']) ? result['completion'] : {};
  const values = arrayOf(completion['values'], method, id)
    .flatMap((one) => (typeof one === 'string' ? [text(one) ?? ''] : []))
    .slice(0, MAX_COMPLETIONS);
  return { completion: { values, ...pick(completion, {}, { total: number, hasMore: flag }) } };
}

/** Arguments of a prompt. */
const MAX_ARGUMENTS = 100;
/** The protocol's own limit. */
const MAX_COMPLETIONS = 100;

function arrayOf(value: unknown, method: string, id: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw remoteFailed(id, `The answer of ${id} to ${method} has no content.`);
}

const ARGUMENT = { title: text, description: described, required: flag };
const DESCRIBED = {
  title: text,
  description: described,
  mimeType: text,
  size: number,
  annotations,
};
