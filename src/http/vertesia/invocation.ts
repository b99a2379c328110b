import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { HttpRefusal } from '../refusal.js';

/** What a POST asks for (Vertesia custom tools, `ToolExecutionRequest`). */
export interface Invocation {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: JsonObject;
  /** What the sender tells of the run. Never an endpoint: those are the token's to name. */
  readonly metadata: JsonObject;
}

/** What an answer says where the request's own id cannot be read. */
export const UNKNOWN_ID = 'unknown';

const MAX_ID = 512;

/** Reads what JSON.parse made. Throws 400. */
export function parseInvocation(value: unknown): Invocation {
  const use = isRecord(value) ? value['tool_use'] : undefined;
  if (!isRecord(value) || !isRecord(use)) throw malformed('tool_use has to be an object');
  const { id, tool_name: name, tool_input: input = {} } = use;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) {
    throw malformed(`tool_use.id has to be a string of at most ${MAX_ID} characters`);
  }
  if (typeof name !== 'string') throw malformed('tool_use.tool_name has to be a string');
  if (!isJsonObject(input)) throw malformed('tool_use.tool_input has to be an object');
  const { metadata = {} } = value;
  if (!isJsonObject(metadata)) throw malformed('metadata has to be an object');
  const { endpoints: _endpoints, ...passed } = metadata;
  return { toolUseId: id, name, input, metadata: passed };
}

/** The id to answer with, of a request that may be anything. */
export function toolUseIdOf(value: unknown): string {
  const use = isRecord(value) ? value['tool_use'] : undefined;
  const id = isRecord(use) ? use['id'] : undefined;
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID ? id : UNKNOWN_ID;
}

/** What JSON.parse made of an object holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function malformed(why: string): HttpRefusal {
  return new HttpRefusal(400, `Invalid tool execution payload: ${why}`);
}
