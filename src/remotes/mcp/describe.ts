import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { isBulkheadError } from '../../errors.js';
import { checkSchema } from '../../schema/check.js';
import { MAX_TITLE, readHints } from '../hints.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { Definition } from '../pins.js';
import type { RemoteHints, RemoteProblem } from '../remote.js';
import { isToolName } from '../../plugin/tool-name.js';

export interface DescribedMcpTool extends Definition {
  readonly title: string;
  readonly inputSchema: JsonObject;
  readonly annotations: RemoteHints;
}

/** Reads one tool of a server's list. */
export function readMcpTool(entry: unknown, id: string): DescribedMcpTool | RemoteProblem {
  if (!isRecord(entry) || !isToolName(entry['name'])) {
    const message = `A tool of ${id} has no name of 1 to 128 characters without ":".`;
    return { code: 'INVALID_TOOL', message };
  }
  const { name, title, description } = entry;
  let inputSchema: JsonObject;
  try {
    inputSchema = withoutHeaders(checkSchema(entry['inputSchema'], `${id}:${name}`).schema);
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    return { code: error.code, message: error.message, toolId: name };
  }
  const annotations = readHints(entry['annotations']);
  const said = typeof description === 'string' ? description : '';
  const called = typeof title === 'string' ? title : (annotations.title ?? name);
  const read = {
    tool: name,
    description: said.slice(0, REMOTE_LIMITS.maxDescriptionCharacters),
    schemaHash: hashOf(inputSchema),
  };
  return {
    ...read,
    // Hints are in it because they may lower the risk, and the title because models read it.
    hash: hashOf([read.tool, said, read.schemaHash, called, { ...annotations }]),
    title: called.slice(0, MAX_TITLE),
    inputSchema,
    annotations,
  };
}

function hashOf(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/**
 * Without what would have the value of an argument copied into a header of the request, by whoever
 * this tool is offered to in turn.
 */
function withoutHeaders(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'x-mcp-header')
      .map(([key, value]) => [key, inside(value)]),
  );
}

function inside(value: Json): Json {
  if (Array.isArray(value)) return value.map((part: Json) => inside(part));
  return isObject(value) ? withoutHeaders(value) : value;
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value);
}
