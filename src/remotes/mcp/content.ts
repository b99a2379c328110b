import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { withoutTags } from '../../model-text.js';
import type { McpList, McpQuestion } from '../../plugin/mcp-source.js';
import { visible } from '../../visible.js';
import { remoteFailed } from '../description.js';
import { REMOTE_LIMITS } from '../limits.js';

/** A block of MCP content, of its known fields only; `undefined` if it is not one. */
export function readBlock(value: unknown): JsonObject | undefined {
  if (!isRecord(value)) return undefined;
  const { type } = value;
  if (type === 'text') return pick(value, { type: text, text }, BLOCK);
  if (type === 'image' || type === 'audio') {
    return pick(value, { type: text, data: text, mimeType: text }, BLOCK);
  }
  if (type === 'resource_link') {
    return pick(value, { type: text, uri: identifier, name: text }, LINK);
  }
  if (type !== 'resource') return undefined;
  const resource = readContents(value['resource']);
  return resource && { type, resource, ...pick(value, {}, BLOCK) };
}

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
const MAX_IDENTIFIER = 2_048;

function arrayOf(value: unknown, method: string, id: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw remoteFailed(id, `The answer of ${id} to ${method} has no content.`);
}

function readContents(value: unknown): JsonObject | undefined {
  if (!isRecord(value)) return undefined;
  const part = typeof value['text'] === 'string' ? { text } : { blob: text };
  return pick(value, { uri: identifier, ...part }, { mimeType: text });
}

type Read = (value: unknown) => Json | undefined;

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? withoutTags(value).text : undefined;
}

/**
 * A name or an address: it has to return to the server as it is, so that one with characters that nobody sees
 * is refused.
 */
function identifier(value: unknown): string | undefined {
  // guard: mcp-identifier-visible
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_IDENTIFIER &&
    visible(value) === value
    ? value
    : undefined;
}

function described(value: unknown): string | undefined {
  return text(value)?.slice(0, REMOTE_LIMITS.maxDescriptionCharacters);
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function annotations(value: unknown): JsonObject | undefined {
  return isRecord(value)
    ? pick(value, {}, { audience: roles, priority: number, lastModified: text })
    : undefined;
}

function roles(value: unknown): Json | undefined {
  return Array.isArray(value)
    ? ['user', 'assistant'].filter((role) => value.includes(role))
    : undefined;
}

const BLOCK = { annotations };
const ARGUMENT = { title: text, description: described, required: flag };
const DESCRIBED = {
  title: text,
  description: described,
  mimeType: text,
  size: number,
  annotations,
};
const LINK = { title: text, description: described, mimeType: text, size: number, annotations };

/** The named fields of a record; `undefined` if one of `needed` is not valid. */
function pick(
  value: Readonly<Record<string, unknown>>,
  needed: Readonly<Record<string, Read>>,
  optional: Readonly<Record<string, Read>>,
): JsonObject | undefined {
  const picked: Record<string, Json> = {};
  for (const [field, read] of Object.entries({ ...optional, ...needed })) {
    const one = value[field] === undefined ? undefined : read(value[field]);
    if (one !== undefined) picked[field] = one;
    else if (Object.hasOwn(needed, field)) return undefined;
  }
  return picked;
}
