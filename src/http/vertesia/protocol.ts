import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { ServedTools } from '../../adapters/served.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { CallResult } from '../../engine/types/result.js';
import { type ErrorCode, isBulkheadError } from '../../errors.js';
import { textOf } from '../../plugin/answer.js';
import { isWebUrl } from '../../remotes/description.js';
import { HttpRefusal } from '../refusal.js';
import type { VertesiaOptions } from './options.js';

const DESCRIPTION = 'Tools of plugins, each of them confined.';

/** The answer to GET (Vertesia custom tools). */
export function describeTools(served: ServedTools, options: VertesiaOptions): object {
  const { url, title = 'Bulkhead', description = DESCRIPTION } = options;
  return { src: url, title, description, tools: toolsOf(served, options) };
}

export function toolsOf(served: ServedTools, { url, details }: VertesiaOptions): object[] {
  return served.list().map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: schemaOf(tool),
    ...(details === true ? detailsOf(tool, url) : {}),
  }));
}

/** The protocol requires the schema of an object: a tool without one accepts any object. */
function schemaOf({ inputSchema }: CatalogTool): object {
  return 'type' in inputSchema ? inputSchema : { type: 'object', ...inputSchema };
}

function detailsOf({ plugin, annotations, requireApproval }: CatalogTool, url: string): object {
  const riskClass = annotations.readOnlyHint === true ? 'read_only' : 'side_effecting';
  return {
    url,
    category: plugin,
    annotations,
    approval_class: requireApproval ? 'requires_confirmation' : riskClass,
  };
}

/** A POST (Vertesia custom tools, `ToolExecutionRequest`). */
export interface Invocation {
  readonly toolUseId: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The caller's metadata of the run, without endpoints: only the token may name those. */
  readonly metadata: JsonObject;
}

/** The id in an answer if the request's id is not valid. */
export const UNKNOWN_ID = 'unknown';

const MAX_ID_CHARACTERS = 512;

/** Reads a parsed body. Throws 400. */
export function parseInvocation(value: unknown): Invocation {
  const use = isRecord(value) ? value['tool_use'] : undefined;
  if (!isRecord(value) || !isRecord(use)) throw malformed('tool_use must be an object');
  const { tool_name: name, tool_input: input = {} } = use;
  const toolUseId = toolUseIdOf(value);
  if (toolUseId === undefined) {
    throw malformed(`tool_use.id must be a string of 1 to ${MAX_ID_CHARACTERS} characters`);
  }
  if (typeof name !== 'string') throw malformed('tool_use.tool_name must be a string');
  if (!isJsonObject(input)) throw malformed('tool_use.tool_input must be an object');
  const { metadata = {} } = value;
  if (!isJsonObject(metadata)) throw malformed('metadata must be an object');
  return { toolUseId, name, input, metadata: withoutEndpoints(metadata) };
}

/** The request's id, if it has a valid one. */
export function toolUseIdOf(value: unknown): string | undefined {
  const use = isRecord(value) ? value['tool_use'] : undefined;
  const id = isRecord(use) ? use['id'] : undefined;
  const isValid = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS;
  return isValid ? id : undefined;
}

export function withoutEndpoints(metadata: JsonObject): JsonObject {
  // guard: caller-endpoints-dropped
  const { endpoints: _endpoints, ...passed } = metadata;
  return passed;
}

function malformed(why: string): HttpRefusal {
  return new HttpRefusal(400, `Invalid tool execution payload: ${why}`);
}

/** The caller's metadata in the terms of plugin systems: the run is the conversation. */
export function runContext(metadata: JsonObject, toolUseId: string | undefined): JsonObject {
  const { run_id: run } = metadata;
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(typeof run === 'string' && run !== ''
      ? { conversationId: run.slice(0, MAX_RUN_ID_CHARACTERS) }
      : {}),
    ...(toolUseId === undefined ? {} : { requestId: toolUseId }),
  };
}

const MAX_RUN_ID_CHARACTERS = 200;

/** A call's result as `ToolExecutionResponse`. Throws a refusal for a result that is a failure. */
export function responseOf(toolUseId: string, result: CallResult): object {
  const text = textOf(result.content);
  const { code, files = [], meta } = result;
  // An error that the tool returned (`isError`) is its answer. An error that it threw is a failure.
  const returned = result.value !== undefined;
  if (result.isError && code !== undefined && !returned && !ANSWERS.has(code)) {
    throw refusalOfCode(code, text, result.retryAfterMs);
  }
  const links = files.filter(isWebUrl);
  return {
    tool_use_id: toolUseId,
    is_error: result.isError,
    content: text,
    ...(links.length === 0 ? {} : { files: links }),
    // The documentation names it `metadata`, and the SDK `meta`.
    ...(meta === undefined ? {} : { metadata: meta, meta }),
  };
}

/** The refusal for an error that the engine threw before anything ran. */
export function refusalOfThrow(error: unknown): HttpRefusal {
  if (error instanceof HttpRefusal) return error;
  if (isBulkheadError(error)) return refusalOfCode(error.code, error.message);
  return new HttpRefusal(500, 'Internal error');
}

function refusalOfCode(code: ErrorCode, text: string, retryAfterMs?: number): HttpRefusal {
  const status = STATUS[code] ?? 500;
  const retry = retryAfterMs ?? (status === 429 || status === 503 ? 1_000 : undefined);
  return new HttpRefusal(status, code === 'APPROVAL_REQUIRED' ? 'approval_required' : text, {
    data: {
      code,
      ...(code === 'INVALID_INPUT' ? { issues: issuesOf(text) } : {}),
      ...(code === 'APPROVAL_REQUIRED' ? { reason: text } : {}),
    },
    ...(retry === undefined
      ? {}
      : { headers: { 'retry-after': String(Math.ceil(retry / 1_000)) } }),
  });
}

function issuesOf(text: string): string[] {
  return text.replace(/^the input of [^:]*: /, '').split('; ');
}

/** A denial is an answer: the model may try something else. */
const ANSWERS: ReadonlySet<ErrorCode> = new Set([
  'APPROVAL_DENIED',
  'APPROVAL_TIMEOUT',
  'POLICY_DENIED',
  'STOPPED',
  'TIME_DENIED',
  'RANDOM_DENIED',
  'NETWORK_DENIED',
  'ENVIRONMENT_DENIED',
  'FILESYSTEM_DENIED',
  'PERMISSION_REVOKED',
  'BUILTIN_DENIED',
]);

/** Any other code is 500. */
const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  INVALID_OPTIONS: 400,
  INVALID_INPUT: 400,
  APPROVAL_REQUIRED: 403,
  TOOL_NOT_FOUND: 404,
  PLUGIN_INACTIVE: 404,
  BUSY: 429,
  NETWORK_FAILED: 502,
  REMOTE_FAILED: 502,
  QUARANTINED: 503,
  ENGINE_CLOSED: 503,
  NEIGHBOUR_ENDED: 503,
  DEADLINE_EXCEEDED: 504,
  GUEST_OUT_OF_CPU: 504,
};
