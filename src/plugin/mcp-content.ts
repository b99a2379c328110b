import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { withoutTags } from '../model-text.js';
import { visible } from '../visible.js';

// The content of an MCP server's answers. Every field is the server's word.

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

/** Characters of an address or a name. */
const MAX_IDENTIFIER = 2_048;
/** Characters of a description. */
const MAX_DESCRIPTION = 16 * 1024;

export function readContents(value: unknown): JsonObject | undefined {
  if (!isRecord(value)) return undefined;
  const part = typeof value['text'] === 'string' ? { text } : { blob: text };
  return pick(value, { uri: identifier, ...part }, { mimeType: text });
}

type Read = (value: unknown) => Json | undefined;

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? withoutTags(value).text : undefined;
}

/**
 * A name or an address: it has to return to the server as it is, so that one with invisible characters
 * is refused.
 */
export function identifier(value: unknown): string | undefined {
  // guard: mcp-identifier-visible
  return typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_IDENTIFIER &&
    visible(value) === value
    ? value
    : undefined;
}

export function described(value: unknown): string | undefined {
  return text(value)?.slice(0, MAX_DESCRIPTION);
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function annotations(value: unknown): JsonObject | undefined {
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
const LINK = { title: text, description: described, mimeType: text, size: number, annotations };

/** The named fields of a record; `undefined` if one of `needed` is not valid. */
export function pick(
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
