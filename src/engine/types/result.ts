import { WireError } from '../../../sandbox/wire/failure.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { HeldRequest } from '../../approval/approver.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import { type ErrorCode, isBulkheadError } from '../../errors.js';
import type { Format } from '../../formats/format.js';
import { endError, GuestEnded } from '../../guests/end.js';
import { mayHaveTags, withoutTags } from '../../model-text.js';
import type { PermissionName } from '../../permissions/kind.js';
import { adviceFor } from '../../plugin/absent-globals.js';
import { answerOfValue, type ToolAnswer } from '../../plugin/answer.js';
import type { CallRecording } from './recording.js';

/** The result of a call. If the plugin fails, the result has `isError`; the call does not throw. */
export interface CallResult extends ToolAnswer {
  /** The id of this call in events, logs and audit records. */
  readonly callId: string;
  /** The tool's return value, as plain data. Absent if the tool did not return. */
  readonly value?: Json;
  /** Why it failed. */
  readonly code?: ErrorCode;
  /**
   * With `APPROVAL_TIMEOUT`: the question that can still be answered. Pass it as the call option
   * `approval` when the approver has answered.
   */
  readonly approval?: string;
  /**
   * Unicode tag characters that were removed from the texts of `content`. A model reads them and a
   * person does not see them. Absent if there were none.
   */
  readonly removedTagCharacters?: number;
  /** Milliseconds after which a retry makes sense. Present with `BUSY` and `QUARANTINED`. */
  readonly retryAfterMs?: number;
  readonly durationMs: number;
  /** Present if the call asked for a recording. Pass it to `engine.replay`. */
  readonly recording?: CallRecording;
  /** Present with `dryRun`: the changes and the refused reads, in the order of the attempts. */
  readonly dryRun?: readonly StoppedEffect[];
  /** The requests of the plugin that were denied during the call, also if its code caught the error. */
  readonly denied?: readonly DeniedUse[];
}

/** A use of a permission that was denied. */
export interface DeniedUse {
  /** `builtin`: a module or function that no permission allows. */
  readonly permission: PermissionName | 'builtin';
  /** The host and path, file, variable or function. */
  readonly wanted: string;
  readonly count: number;
  /** The npm package, by its directory in the plugin. Unverified: from the guest. */
  readonly package?: string;
  /** The position in the plugin's source, e.g. `src/index.ts:14:21`. Unverified: from the guest. */
  readonly at?: string;
}

/** Why a call failed, before the format words the message. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** The question that can still be answered. */
  readonly approval?: string;
  /** The name of the error that the tool threw. */
  readonly name?: string;
  /** The call's deadline. */
  readonly deadlineMs?: number;
  /** The guest's stack. Only the host's log may show it. */
  readonly stack?: string;
}

/** Builds the result of a call. The tool's format reads the value and words the failure. */
export function answerOf(
  callId: string,
  began: number,
  outcome: { readonly value: Json } | Failure,
  { format, tool }: { readonly format?: Format | undefined; readonly tool: CatalogTool },
): CallResult {
  const durationMs = performance.now() - began;
  if ('code' in outcome) {
    const { code, message, retryAfterMs, approval } = outcome;
    const text = format?.describeFault?.({ ...outcome, tool: tool.tool }) ?? message;
    return {
      callId,
      isError: true,
      content: [{ type: 'text', text }],
      code,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(approval === undefined ? {} : { approval }),
      durationMs,
    };
  }
  const { value } = outcome;
  const answer = format?.readAnswer?.(value) ?? answerOfValue(value);
  const { isError, content, structured, status, yieldToUser, files, mcpContent, meta } = answer;
  // Assigned one by one: each spread of optional fields would allocate an object for every call.
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
  if (mcpContent !== undefined) result.mcpContent = mcpContent;
  if (meta !== undefined) result.meta = meta;
  removeTags(result);
  return result;
}

/** Removes Unicode tag characters from the texts of a result, and counts them. */
export function removeTags(result: { -readonly [Key in keyof CallResult]: CallResult[Key] }): void {
  if (!result.content.some(({ text }) => text !== undefined && mayHaveTags(text))) return;
  let count = 0;
  const content = result.content.map((block) => {
    if (block.text === undefined) return block;
    const { text, removed } = withoutTags(block.text);
    count += removed;
    return removed === 0 ? block : { ...block, text };
  });
  if (count === 0) return;
  result.content = content;
  result.removedTagCharacters = count;
  if (result.structured === undefined) return;
  const structured: Json = JSON.parse(withoutTags(JSON.stringify(result.structured)).text);
  result.structured = structured;
}

/** Converts the rejection of a request to a guest. */
export function failureOf(error: unknown, tool: Pick<CatalogTool, 'id' | 'plugin'>): Failure {
  const { id, plugin } = tool;
  if (error instanceof GuestEnded) return failureOf(endError(plugin, error.end), tool);
  if (error instanceof WireError) {
    const { name, stack } = error.remote;
    return {
      code: error.code ?? 'TOOL_FAILED',
      name,
      message:
        error.message === ''
          ? `${id} failed without saying why.`
          : error.message + adviceFor(name, error.message),
      ...(stack === undefined ? {} : { stack }),
    };
  }
  if (isBulkheadError(error, 'BUSY') || isBulkheadError(error, 'QUARANTINED')) {
    const { code, message, details } = error;
    return { code, message, retryAfterMs: details.retryAfterMs };
  }
  if (isBulkheadError(error, 'APPROVAL_TIMEOUT')) {
    const { code, message, details } = error;
    return {
      code,
      message,
      ...(details.approval === undefined ? {} : { approval: details.approval }),
    };
  }
  if (isBulkheadError(error)) return { code: error.code, message: error.message };
  return { code: 'TOOL_FAILED', message: `${id} failed.` };
}

/** What a dry run stopped: a change, or a read from a host that no rule clears for dry runs. */
export type StoppedEffect =
  | ({ readonly permission: 'network'; readonly reads?: true } & HeldRequest)
  | { readonly permission: 'storage' | 'fs'; readonly operation: string; readonly path: string }
  | { readonly permission: 'powers'; readonly power: string };
