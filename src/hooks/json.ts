import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** Whether a value of JSON is a record. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
