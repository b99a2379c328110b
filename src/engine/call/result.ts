import { WireError } from '../../../sandbox/wire/failure.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { type ErrorCode, isBulkheadError } from '../../errors.js';
import type { Format } from '../../formats/format.js';
import type { CallRecord } from '../recording/record.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { StoppedEffect } from './stopped.js';
import { answerOfValue, type ToolAnswer } from '../../plugin/answer.js';

/** What a call came to. A plugin's fault is an answer (`isError`), never a throw. */
export interface CallResult extends ToolAnswer {
  /** Names this call in events, logs and records. */
  readonly callId: string;
  /** What the tool returned, as plain data. Absent where it did not return. */
  readonly value?: Json;
  /** Why it failed. */
  readonly code?: ErrorCode;
  /** When it is worth to call again: with `BUSY` and `QUARANTINED`. */
  readonly retryAfterMs?: number;
  readonly durationMs: number;
  /** What was asked to be recorded; `engine.replay` takes it. */
  readonly record?: CallRecord;
  /** With `rehearse`: what it would have changed, in the order in which it tried to. */
  readonly rehearsal?: readonly StoppedEffect[];
}

/** Why a call failed, before it is worded for anybody. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The name of the error that the tool threw. */
  readonly name?: string;
  /** How long the call had. */
  readonly deadlineMs?: number;
  /** The guest's stack: for the host's log alone. */
  readonly stack?: string;
}

/** What a call came to, as the format of its tool reads and words it. */
export function answerOf(
  callId: string,
  began: number,
  outcome: { readonly value: Json } | Failure,
  { format, tool }: { readonly format?: Format | undefined; readonly tool: CatalogTool },
): CallResult {
  const durationMs = performance.now() - began;
  if ('code' in outcome) {
    const { code, message, retryAfterMs } = outcome;
    const text = format?.wordFault?.({ ...outcome, tool: tool.tool }) ?? message;
    return {
      callId,
      isError: true,
      content: [{ type: 'text', text }],
      code,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      durationMs,
    };
  }
  const { value } = outcome;
  const answer = format?.readAnswer?.(value) ?? answerOfValue(value);
  const { isError, content, structured, status, yieldToUser, files, meta } = answer;
  // Filled in one by one: each spread of what may be there would cost every call an object.
  const result: { -readonly [Key in keyof CallResult]: CallResult[Key] } = {
    callId,
    isError,
    content,
    value,
    durationMs,
  };
  if (isError) result.code = 'TOOL_FAILED';
  if (structured !== undefined) result.structured = structured;
  if (status !== undefined) result.status = status;
  if (yieldToUser !== undefined) result.yieldToUser = yieldToUser;
  if (files !== undefined) result.files = files;
  if (meta !== undefined) result.meta = meta;
  return result;
}

/** Reads what a request to a guest rejected with. */
export function failureOf(error: unknown, tool: Pick<CatalogTool, 'id' | 'plugin'>): Failure {
  const { id, plugin } = tool;
  if (error instanceof GuestEnded) return failureOf(endError(plugin, error.end), tool);
  if (error instanceof WireError) {
    const { name, stack } = error.remote;
    return {
      code: error.code ?? 'TOOL_FAILED',
      name,
      message: error.message === '' ? `${id} failed without saying why.` : error.message,
      ...(stack === undefined ? {} : { stack }),
    };
  }
  if (isBulkheadError(error, 'BUSY') || isBulkheadError(error, 'QUARANTINED')) {
    const { code, message, details } = error;
    return { code, message, retryAfterMs: details.retryAfterMs };
  }
  if (isBulkheadError(error)) return { code: error.code, message: error.message };
  return { code: 'TOOL_FAILED', message: `${id} failed.` };
}
