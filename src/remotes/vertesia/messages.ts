import { isJsonObject, isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import type { RiskBand } from '../../plugin/risk.js';
import {
  cutText,
  type Description,
  hashOf,
  isWebUrl,
  readTools,
  remoteFailed,
  type ToolFields,
} from '../description.js';
import { REMOTE_LIMITS } from '../limits.js';
import type { RemoteHints } from '../remote.js';
import { withoutDefaultDates } from '../default-dates.js';

export interface VertesiaTool extends ToolFields {
  /** The URL that runs it, as the server wrote it. */
  readonly url: string | undefined;
  readonly declaredRisk: RiskBand;
  readonly requireApproval: boolean;
  readonly category: string | undefined;
  /** Of all the other fields. */
  readonly hash: string;
}

/** Reads a server's answer to GET. Throws if it is not a list of tools. */
export function readDescription(value: unknown, id: string): Description<VertesiaTool> {
  const listed = isRecord(value) ? value['tools'] : undefined;
  if (!isRecord(value) || !Array.isArray(listed)) {
    throw new Error('its answer is not an object with a list of "tools"');
  }
  const schema = { schemaField: 'input_schema', defaultSchema: { type: 'object' } };
  return {
    name: cutText(value['title'], 200),
    description: cutText(value['description'], REMOTE_LIMITS.maxDescriptionCharacters),
    version: undefined,
    ...readTools(listed, id, schema, (entry, fields) => readTool(entry, fields, id)),
  };
}

function readTool(
  entry: Readonly<Record<string, unknown>>,
  { tool, description, inputSchema, annotations }: ToolFields,
  id: string,
): VertesiaTool {
  // The server hides such a tool until a skill unlocks it.
  if (entry['default'] === false) {
    throw new BulkheadError('INVALID_TOOL', `${id} does not list ${tool} by default.`, {
      plugin: id,
    });
  }
  const approvalClass = cutText(entry['approval_class'], 40);
  const read = {
    tool,
    description,
    inputSchema,
    url: typeof entry['url'] === 'string' ? entry['url'] : undefined,
    annotations:
      approvalClass === 'read_only' ? { readOnlyHint: true, ...annotations } : annotations,
    declaredRisk: CLASSES.get(approvalClass ?? '') ?? riskOf(annotations),
    requireApproval: approvalClass === 'requires_confirmation',
    category: cutText(entry['category'], 100),
  };
  return { ...read, hash: hashOf({ ...read, inputSchema: withoutDefaultDates(inputSchema) }) };
}

const CLASSES: ReadonlyMap<string, RiskBand> = new Map([
  ['read_only', 'low'],
  ['side_effecting', 'medium'],
  ['control', 'medium'],
  ['requires_confirmation', 'high'],
]);

/** The protocol declares no risk: medium is its default. */
function riskOf({ readOnlyHint, destructiveHint }: RemoteHints): RiskBand {
  if (readOnlyHint === true) return 'low';
  return destructiveHint === true ? 'high' : 'medium';
}

/** A server's answer to POST. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export interface CallInfo {
  readonly callId: string;
  /** The tool's name in messages. */
  readonly tool: string;
  readonly remote: string;
}

/**
 * Reads an answer of 2xx, in the form of the documentation or of the SDK. Throws `REMOTE_FAILED` for
 * another form, and for an answer to another call.
 */
export function readAnswer({ text }: HttpAnswer, call: CallInfo): ToolAnswer {
  const body = parse(text);
  if (!isRecord(body)) throw unusable(call, 'it is not a JSON object');
  // guard: remote-answer-id-compared
  if (body['tool_use_id'] !== call.callId) {
    throw unusable(call, 'its tool_use_id is not the one of the call');
  }
  const { content, files, display_message: status } = body;
  if (typeof content !== 'string') throw unusable(call, 'its content is not a string');
  const links = Array.isArray(files) ? files.filter(isWebUrl) : [];
  const meta = { ...objectOf(body['meta']), ...objectOf(body['metadata']) };
  return {
    isError: body['is_error'] === true,
    content: [{ type: 'text', text: content }],
    ...(typeof status === 'string' ? { status: status.slice(0, MAX_STATUS_CHARACTERS) } : {}),
    ...(links.length === 0 ? {} : { files: links }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

const MAX_STATUS_CHARACTERS = 200;

/** The failure for an answer of another status. The server's message is cut, and is never HTML. */
export function failureOf(answer: HttpAnswer, { tool, remote }: CallInfo): BulkheadError {
  const { status, retryAfter } = answer;
  const reported = errorMessage(answer.text);
  const why = `${remote} answered ${tool} with ${status}${reported === undefined ? '' : `: ${reported}`}`;
  if (status === 400 || status === 422) return new BulkheadError('INVALID_INPUT', why, { tool });
  if (status === 404) return new BulkheadError('TOOL_NOT_FOUND', why, { tool });
  if (status === 408 || status === 504) {
    return new BulkheadError('DEADLINE_EXCEEDED', why, { deadlineMs: 0 });
  }
  if (status === 429 || status === 503) {
    return new BulkheadError('BUSY', why, { retryAfterMs: retryAfterMsOf(retryAfter) });
  }
  if (status >= 500) return new BulkheadError('TOOL_FAILED', why, { tool });
  return new BulkheadError('REMOTE_FAILED', why, { remote, status });
}

/** The protocol's `error`, or else the `content` or `message` of the answer. */
function errorMessage(text: string): string | undefined {
  const body = parse(text);
  if (!isRecord(body)) return undefined;
  return [body['error'], body['content'], body['message']]
    .map((value) => cutText(value, REMOTE_LIMITS.maxErrorCharacters))
    .find((value) => value !== undefined);
}

function retryAfterMsOf(text: string | undefined): number {
  const seconds = Number(text ?? '1');
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 60) * 1_000 : 1_000;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function unusable({ remote, tool }: CallInfo, why: string): BulkheadError {
  return remoteFailed(remote, `The answer of ${remote} to ${tool} is not valid: ${why}.`);
}
