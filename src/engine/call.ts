import { RawJson } from '../../sandbox/wire/peer.js';
import type { Json } from '../../sandbox/wire/messages.js';
import { BulkheadError, type ErrorCode, isBulkheadError } from '../errors.js';
import type { CatalogTool } from '../catalog/catalog.js';
import type { EventBus } from '../events.js';
import type { Guest } from '../guests/guest.js';
import type { CallOptions } from './options.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';
import type { Resident } from './resident.js';

/** A tool, and all that it takes to run it. */
export interface Callable {
  readonly tool: CatalogTool;
  readonly resident: Resident;
  /** Turns a stack from the guest into the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** Calls of this plugin under way, shared by all of its tools. */
  readonly load: { underWay: number };
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly maxCallsPerPlugin: number;
}

/** One call on its way: what was asked, by text that is made once. */
export interface CallSpec {
  readonly callId: string;
  readonly callable: Callable;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly limits: CallLimits;
  readonly events: EventBus;
}

/**
 * Runs a call to its end, within its deadline. Timed out means stopped: at the deadline (or when the
 * caller gives up) the caller is answered, the plugin's signal is aborted, and a guest that has not
 * settled the call by itself after the grace is killed.
 */
export function runCall(spec: CallSpec): Promise<CallResult> {
  const { callId, callable, options, limits, events } = spec;
  const { tool, resident, load } = callable;
  const began = performance.now();
  if (load.underWay >= limits.maxCallsPerPlugin) {
    return Promise.resolve(answerOf(callId, began, busy(tool, limits)));
  }
  load.underWay += 1;
  events.emit({ type: 'call-started', call: callId, plugin: tool.plugin, tool: tool.tool });

  return new Promise((resolve) => {
    const deadlineMs = deadlineOf(tool, options, limits);
    let underWay: { readonly guest: Guest; readonly giveUp: (why: string) => void } | undefined;
    let answered = false;

    const answer = (outcome: { readonly value: Json } | Failure): void => {
      if (answered) return;
      answered = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      load.underWay -= 1;
      const result = answerOf(callId, began, outcome);
      events.emit({
        type: 'call-ended',
        call: callId,
        plugin: tool.plugin,
        tool: tool.tool,
        outcome: result.isError ? 'error' : 'ok',
        ...('code' in outcome ? { code: outcome.code } : {}),
        ...('stack' in outcome && outcome.stack !== undefined
          ? { stack: callable.mapStack(outcome.stack) }
          : {}),
        durationMs: result.durationMs,
      });
      resolve(result);
    };

    const stop = (code: ErrorCode, message: string): void => {
      answer({ code, message });
      underWay?.giveUp(message);
    };
    const timer = setTimeout(() => {
      stop(
        'DEADLINE_EXCEEDED',
        `${tool.id} did not finish within ${deadlineMs} ms and was stopped.`,
      );
    }, deadlineMs);
    const onAbort = (): void => stop('CANCELLED', `The call of ${tool.id} was cancelled.`);
    options.signal?.addEventListener('abort', onAbort);

    const run = (guest: Guest): void => {
      if (answered) return;
      const asked = guest.peer.ask('call', new RawJson(callText(tool, spec)));
      let settled = false;
      underWay = {
        guest,
        giveUp: (why) => {
          asked.cancel(why);
          setTimeout(() => {
            if (settled) return;
            guest.kill({ cause: 'deadline', detail: `a call of ${tool.id} did not stop` });
          }, limits.graceMs);
        },
      };
      asked.answer.then(
        (value) => {
          settled = true;
          // It came off the wire by JSON.parse, so it is JSON.
          answer({ value: value as Json });
        },
        (error: unknown) => {
          settled = true;
          answer(failureOf(error, tool));
        },
      );
    };

    if (resident.current !== undefined) run(resident.current);
    else resident.acquire().then(run, (error: unknown) => answer(failureOf(error, tool)));
  });
}

function deadlineOf(tool: CatalogTool, options: CallOptions, limits: CallLimits): number {
  return Math.max(1, Math.min(tool.timeoutMs, options.timeoutMs ?? Infinity, limits.timeoutMs));
}

function callText(tool: CatalogTool, { inputText, options }: CallSpec): string {
  const context = options.context === undefined ? 'null' : JSON.stringify(options.context);
  return `{"tool":${JSON.stringify(tool.tool)},"input":${inputText},"context":${context}}`;
}

function busy(tool: CatalogTool, { maxCallsPerPlugin }: CallLimits): Failure {
  return {
    code: 'BUSY',
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
  if (text.length > maxInputBytes) {
    throw new BulkheadError(
      'INVALID_INPUT',
      `The input of ${tool.id} is larger than ${maxInputBytes} bytes. Raise limits.maxInputBytes to allow it.`,
      { tool: tool.id },
    );
  }
  return text;
}

export function isGone(error: unknown): boolean {
  return isBulkheadError(error, 'ENGINE_CLOSED');
}
