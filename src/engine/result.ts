import { WireError } from '../../sandbox/wire/failure.js';
import type { Json } from '../../sandbox/wire/messages.js';
import type { CatalogTool } from '../catalog/catalog.js';
import { type ErrorCode, isBulkheadError } from '../errors.js';
import { endError, GuestEnded } from '../guests/end.js';

/** What a call came to. A plugin's fault is an answer (`isError`), never a throw. */
export interface CallResult {
  /** Names this call in events, logs and records. */
  readonly callId: string;
  readonly isError: boolean;
  /** For the model: text that never holds a stack or a path of the host. */
  readonly content: readonly ContentBlock[];
  /** What the tool returned, as plain data. Absent where it did not return. */
  readonly value?: Json;
  /** Why it failed. */
  readonly code?: ErrorCode;
  /** When it is worth to call again: with `BUSY` and `QUARANTINED`. */
  readonly retryAfterMs?: number;
  readonly durationMs: number;
}

export interface ContentBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Why a call failed, before it is worded for anybody. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The guest's stack: for the host's log alone. */
  readonly stack?: string;
}

export function answerOf(
  callId: string,
  began: number,
  outcome: { readonly value: Json } | Failure,
): CallResult {
  const durationMs = performance.now() - began;
  if ('code' in outcome) {
    const { code, message, retryAfterMs } = outcome;
    return {
      callId,
      isError: true,
      content: [{ type: 'text', text: message }],
      code,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      durationMs,
    };
  }
  const { value } = outcome;
  return {
    callId,
    isError: false,
    // Worded when somebody reads it: a large value is not made into text for nothing.
    get content() {
      return [
        { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) } as const,
      ];
    },
    value,
    durationMs,
  };
}

/** Reads what a request to a guest rejected with. */
export function failureOf(error: unknown, tool: Pick<CatalogTool, 'id' | 'plugin'>): Failure {
  const { id, plugin } = tool;
  if (error instanceof GuestEnded) return failureOf(endError(plugin, error.end), tool);
  if (error instanceof WireError) {
    const { stack } = error.remote;
    return {
      code: error.code ?? 'TOOL_FAILED',
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
