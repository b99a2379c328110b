import type { JsonObject } from './messages.js';

/** Whether a value is an object with string keys: neither `null` nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `isRecord` for a value that came from JSON, and so contains only JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}
