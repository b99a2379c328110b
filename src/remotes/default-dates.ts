import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { isJsonObject } from '../../sandbox/wire/json.js';

/**
 * A schema without the dates that are default values or examples, for the hash that pins a tool. Many servers compute
 * such a date as they start, and a date says nothing else to a model. Every other part counts.
 */
export function withoutDefaultDates(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      KEYS.has(key) ? masked(value) : inner(value),
    ]),
  );
}

const KEYS = new Set(['default', 'example', 'examples']);

function inner(value: Json): Json {
  if (Array.isArray(value)) return value.map(inner);
  return isJsonObject(value) ? withoutDefaultDates(value) : value;
}

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map(masked);
  return typeof value === 'string' && DATE.test(value) ? 'a date' : value;
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
