import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';

/** What a program asks to call. */
export interface RequestedCall {
  readonly plugin: string;
  readonly tool: string;
  readonly input: Json;
}

/** Reads the params of a `call`. Names that are not texts are empty: no tool has them. */
export function requestedCall(params: Json): RequestedCall {
  const { plugin, tool, input = {} } = isJsonObject(params) ? params : {};
  return { plugin: textOf(plugin), tool: textOf(tool), input };
}

/** Only for JSON: such an object contains only JSON. */
export function isJsonObject(value: Json): value is JsonObject {
  return isRecord(value);
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
