import type { CallResult } from '../../engine/result.js';
import { type ErrorCode, isBulkheadError } from '../../errors.js';
import { HttpRefusal } from '../refusal.js';

/** What a call's result is as `ToolExecutionResponse`. Throws the refusal that an error is. */
export function responseOf(toolUseId: string, result: CallResult): object {
  const text = textOf(result);
  const { code } = result;
  if (result.isError && code !== undefined && !TOLD.has(code)) {
    throw refusalOfCode(code, text, result.retryAfterMs);
  }
  return { tool_use_id: toolUseId, is_error: result.isError, content: text };
}

function textOf({ content }: CallResult): string {
  return content.map(({ text }) => text).join('\n');
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
  QUARANTINED: 503,
  ENGINE_CLOSED: 503,
  DEADLINE_EXCEEDED: 504,
  GUEST_OUT_OF_CPU: 504,
};
