import { BulkheadError } from '../errors.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { EventBus } from '../events.js';
import type { Carrier, Outcome } from './carry.js';
import { carryInside } from './carry-inside.js';
import { carryOutside } from './carry-outside.js';
import type { CallOptions } from './options.js';
import type { Placed } from './placement.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';

export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxCallsPerPlugin: number;
  readonly maxResultBytes: number;
}

/** One call on its way: what was asked, by text that is made once. */
export interface CallSpec {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly place: Placed;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly limits: CallLimits;
  readonly events: EventBus;
  /** What has to be done before the plugin may do anything. Where it fails, the call does. */
  readonly beforeEffect?: () => Promise<void>;
}

/**
 * Runs a call to its end, within its deadline. Timed out means stopped: at the deadline (or when the
 * caller gives up) the caller is answered, the plugin's signal is aborted, and a guest that has not
 * settled the call by itself after the grace is killed.
 */
export function runCall(spec: CallSpec): Promise<CallResult> {
  const { callId, tool, place, options, limits, events } = spec;
  const { load, revoked } = place;
  const told = { format: place.format, tool };
  const began = performance.now();
  if (options.signal?.aborted === true) {
    return Promise.resolve(answerOf(callId, began, cancelled(tool), told));
  }
  if (load.underWay >= limits.maxCallsPerPlugin) {
    return Promise.resolve(answerOf(callId, began, busy(tool, limits), told));
  }
  load.underWay += 1;
  const deadlineMs = deadlineOf(tool, options, limits);
  const carrier = carry(spec, deadlineMs);
  events.emit({
    type: 'call-started',
    call: callId,
    plugin: tool.plugin,
    tool: tool.tool,
    bundle: place.bundle,
    input: spec.inputText,
  });

  return new Promise((resolve) => {
    let answered = false;

    const answer = (outcome: Outcome): void => {
      if (answered) return;
      answered = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      revoked.removeEventListener('abort', onRevoked);
      carrier.done();
      load.underWay -= 1;
      const result = answerOf(callId, began, outcome, told);
      events.emit({
        type: 'call-ended',
        call: callId,
        plugin: tool.plugin,
        tool: tool.tool,
        outcome: result.isError ? 'error' : 'ok',
        ...(result.code === undefined ? {} : { code: result.code }),
        ...('stack' in outcome && outcome.stack !== undefined
          ? { stack: carrier.mapStack(outcome.stack) }
          : {}),
        durationMs: result.durationMs,
      });
      resolve(result);
    };

    const stop = (failure: Failure): void => {
      answer(failure);
      carrier.giveUp(failure.message);
    };
    const timer = setTimeout(() => stop(tooLate(tool, deadlineMs)), deadlineMs);
    const onAbort = (): void => stop(cancelled(tool));
    options.signal?.addEventListener('abort', onAbort);
    const onRevoked = (): void => stop(takenAway(tool));
    revoked.addEventListener('abort', onRevoked);

    const go = (): void => carrier.start(answer);
    if (spec.beforeEffect === undefined) go();
    else spec.beforeEffect().then(go, (error: unknown) => answer(failureOf(error, tool)));
  });
}

function carry({ place, limits, ...call }: CallSpec, deadlineMs: number): Carrier {
  const carried = { ...call, deadlineMs, maxResultBytes: limits.maxResultBytes };
  return place.room === undefined
    ? carryOutside(carried, place.run)
    : carryInside(carried, place.room);
}

function deadlineOf(tool: CatalogTool, options: CallOptions, limits: CallLimits): number {
  return Math.max(1, Math.min(tool.timeoutMs, options.timeoutMs ?? Infinity, limits.timeoutMs));
}

function tooLate({ id }: CatalogTool, deadlineMs: number): Failure {
  return {
    code: 'DEADLINE_EXCEEDED',
    deadlineMs,
    message: `${id} did not finish within ${deadlineMs} ms and was stopped.`,
  };
}

function cancelled({ id }: CatalogTool): Failure {
  return { code: 'CANCELLED', message: `The call of ${id} was cancelled.` };
}

function takenAway({ id, plugin }: CatalogTool): Failure {
  return {
    code: 'PERMISSION_REVOKED',
    message: `${id} was stopped: the permission by which ${plugin} has it was taken away.`,
  };
}

/** How soon it is worth to ask again: small calls take less than a millisecond. */
const RETRY_AFTER_MS = 100;

function busy(tool: CatalogTool, { maxCallsPerPlugin }: CallLimits): Failure {
  return {
    code: 'BUSY',
    retryAfterMs: RETRY_AFTER_MS,
    message: `${tool.plugin} has ${maxCallsPerPlugin} calls under way, as many as it may. Try again when one has ended.`,
  };
}

/** The input as the text that crosses, made once. Throws `INVALID_OPTIONS`, `INVALID_INPUT`. */
export function inputTextOf(tool: CatalogTool, input: unknown, maxInputBytes: number): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(input ?? {}) as string | undefined;
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `The input of ${tool.id} is not JSON.`,
      { option: 'input' },
      { cause: error },
    );
  }
  if (text === undefined) {
    throw new BulkheadError('INVALID_OPTIONS', `The input of ${tool.id} is not JSON.`, {
      option: 'input',
    });
  }
  if (byteLength(text, maxInputBytes) > maxInputBytes) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${tool.id} is larger than ${maxInputBytes} bytes. Raise limits.maxInputBytes to allow it.`,
      { tool: tool.id },
    );
  }
  return text;
}

/** Exact only where it can matter: a text of few characters is of few bytes. */
function byteLength(text: string, limit: number): number {
  return text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).byteLength;
}
