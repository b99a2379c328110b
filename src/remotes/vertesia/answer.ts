import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { BulkheadError } from '../../errors.js';
import type { ToolAnswer } from '../../plugin/answer.js';
import { REMOTE_LIMITS } from '../limits.js';

/** A server's answer to POST, as it came. */
export interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export interface Asked {
  readonly callId: string;
  /** The tool as messages name it. */
  readonly tool: string;
  readonly remote: string;
}

/**
 * Reads an answer of 2xx, in the shape of the documentation or of the SDK. Throws `REMOTE_FAILED`
 * for what is neither, or answers another question.
 */
export function readAnswer({ text }: Answered, asked: Asked): ToolAnswer {
  const body = parse(text);
  if (!isRecord(body)) throw unusable(asked, 'it is not a JSON object');
  if (body['tool_use_id'] !== asked.callId) {
    throw unusable(asked, 'it names another tool_use_id than the one that was asked');
  }
  const { content, files, display_message: shown } = body;
  if (typeof content !== 'string') throw unusable(asked, 'its content is no text');
  const links = Array.isArray(files) ? files.filter(isWebUrl) : [];
  const meta = { ...objectOf(body['meta']), ...objectOf(body['metadata']) };
  return {
    isError: body['is_error'] === true,
    content: [{ type: 'text', text: content }],
    ...(typeof shown === 'string' ? { status: shown.slice(0, MAX_STATUS) } : {}),
    ...(links.length === 0 ? {} : { files: links }),
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
  };
}

const MAX_STATUS = 200;

/** Why an answer of another status is a failure. What the server sent is cut, and never HTML. */
export function failureOf(answered: Answered, asked: Asked): BulkheadError {
  const { status, retryAfter } = answered;
  const said = saidBy(answered.text);
  const why = `${asked.remote} answered ${asked.tool} with ${status}${said === undefined ? '' : `: ${said}`}`;
  const { tool } = asked;
  if (status === 400 || status === 422) return new BulkheadError('INVALID_INPUT', why, { tool });
  if (status === 404) return new BulkheadError('TOOL_NOT_FOUND', why, { tool });
  if (status === 408 || status === 504) {
    return new BulkheadError('DEADLINE_EXCEEDED', why, { deadlineMs: 0 });
  }
  if (status === 429 || status === 503) {
    return new BulkheadError('BUSY', why, { retryAfterMs: retryAfterMsOf(retryAfter) });
  }
  if (status >= 500) return new BulkheadError('TOOL_FAILED', why, { tool });
  return new BulkheadError('REMOTE_FAILED', why, { remote: asked.remote, status });
}

/** The protocol's `error`, or the `content` of an answer that is one. */
function saidBy(text: string): string | undefined {
  const body = parse(text);
  if (!isRecord(body)) return undefined;
  const said = [body['error'], body['content'], body['message']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return typeof said === 'string' ? said.slice(0, REMOTE_LIMITS.maxErrorCharacters) : undefined;
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

/** Addresses that a model or a person may be led to: nothing that would run, or read a file. */
export function isWebUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What JSON.parse made of an object holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function unusable({ remote, tool }: Asked, why: string): BulkheadError {
  return new BulkheadError(
    'REMOTE_FAILED',
    `The answer of ${remote} to ${tool} cannot be used: ${why}.`,
    { remote },
  );
}
