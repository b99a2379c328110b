import type { CallResult } from '../../engine/call/result.js';
import { type ErrorCode, isBulkheadError } from '../../errors.js';
import { textOf } from '../../plugin/answer.js';
import { HttpRefusal } from '../refusal.js';

/** What a call's result is as `ToolExecutionResponse`. Throws the refusal that an error is. */
export function responseOf(toolUseId: string, result: CallResult): object {
  const text = textOf(result.content);
  const { code, files = [], meta } = result;
  // What a tool says of itself (`isError` in what it returned) is its answer; what it throws is not.
  const returned = result.value !== undefined;
  if (result.isError && code !== undefined && !returned && !TOLD.has(code)) {
    throw refusalOfCode(code, text, result.retryAfterMs);
  }
  const links = files.filter(isWebUrl);
  return {
    tool_use_id: toolUseId,
    is_error: result.isError,
    content: text,
    ...(links.length === 0 ? {} : { files: links }),
    // The document calls it so, and the SDK `meta`: whoever reads either finds it.
    ...(meta === undefined ? {} : { metadata: meta, meta }),
  };
}

/** Addresses that a model or a person may be led to. */
function isWebUrl(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** What an engine threw before anything ran. */
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

/** What a policy refused is an answer to the model: it may try something else. */
const TOLD: ReadonlySet<ErrorCode> = new Set([
  'APPROVAL_DENIED',
  'APPROVAL_TIMEOUT',
  'POLICY_DENIED',
  'TIME_DENIED',
  'RANDOM_DENIED',
  'NETWORK_DENIED',
  'ENVIRONMENT_DENIED',
  'FILESYSTEM_DENIED',
  'PERMISSION_REVOKED',
  'BUILTIN_DENIED',
]);

/** Every other code is 500. */
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
  DEADLINE_EXCEEDED: 504,
  GUEST_OUT_OF_CPU: 504,
};
