import { announceEnd } from './announce-end.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { textOf, type ToolAnswer } from '../../plugin/answer.js';
import type { HostCaller } from '../../remotes/remote.js';
import type { CallOptions } from '../types/options.js';
import type { PlacedElsewhere } from '../types/place.js';
import { answerOf, type CallResult, type Failure, failureOf, removeTags } from '../types/result.js';
import { beforeEffectOf, type CallSpec, cancelled, deadlineExceeded, deadlineOf } from './call.js';

/**
 * Runs a call on the server that provides its tool, within the call's deadline. At the deadline, or
 * when the caller aborts, the caller gets an error result and the request is aborted. The engine
 * cannot stop work that the server has already started.
 */
export async function runRemoteCall(
  spec: CallSpec & { readonly place: PlacedElsewhere },
): Promise<CallResult> {
  const { callId, tool, place, options, services } = spec;
  const { limits, events } = services;
  const { load } = place;
  const began = performance.now();
  const fail = (failure: Failure): CallResult => answerOf(callId, began, failure, { tool });
  if (options.signal?.aborted === true) return fail(cancelled(tool));
  if (load.underWay >= limits.maxCallsPerPlugin)
    return fail(busy(tool.plugin, limits.maxCallsPerPlugin));
  load.underWay += 1;
  const about = { call: callId, plugin: tool.plugin, tool: tool.tool };
  events.emit({
    type: 'call-started',
    ...about,
    bundle: place.hash,
    risk: tool.risk,
    input: spec.inputText,
    ...(spec.parent === undefined ? {} : { parent: spec.parent }),
    ...(spec.options.tenant === undefined ? {} : { tenant: spec.options.tenant }),
  });
  const result = await ask(spec).then(
    (answer) => resultOf(callId, began, answer),
    (error: unknown) => fail(asFailure(error, spec)),
  );
  load.underWay -= 1;
  announceEnd(events, about, result);
  return result;
}

/** Rejects with `Ended` at the deadline or when the caller aborts. */
async function ask(spec: CallSpec & { readonly place: PlacedElsewhere }): Promise<ToolAnswer> {
  const { callId, tool, place, inputText, options, services } = spec;
  const { limits } = services;
  const timeoutMs = deadlineOf(tool, {}, options, limits);
  const end = new AbortController();
  let stop: (failure: Failure) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    stop = (failure) => {
      reject(new Ended(failure));
      end.abort();
    };
  });
  const timer = setTimeout(() => stop(deadlineExceeded(tool, timeoutMs)), timeoutMs);
  const onAbort = (): void => stop(cancelled(tool));
  const running = { tool, options, stop };
  options.signal?.addEventListener('abort', onAbort);
  services.openCalls.add(running);
  const { onOutput, onProgress } = options;
  const run = async (): Promise<ToolAnswer> => {
    // A listener of `call-started` may have aborted the call.
    if (options.signal?.aborted === true) throw new Ended(cancelled(tool));
    await beforeEffectOf(spec)?.();
    return place.remote.run({
      callId,
      input: inputOf(inputText, tool.id),
      signal: end.signal,
      timeoutMs,
      metadata:
        place.isHosts === true ? (options.context ?? {}) : metadataOf(options.context ?? {}),
      maxResultBytes: limits.maxResultBytes,
      // guard: caller-for-host-tools-only
      ...(place.isHosts === true ? { caller: callerOf(options) } : {}),
      ...(options.client === undefined ? {} : { client: options.client }),
      // No output is passed on after the call has ended.
      ...(onOutput === undefined
        ? {}
        : { onOutput: (chunk) => (end.signal.aborted ? undefined : onOutput(chunk)) }),
      ...(onProgress === undefined
        ? {}
        : { onProgress: (progress) => (end.signal.aborted ? undefined : onProgress(progress)) }),
    });
  };
  try {
    return await Promise.race([run(), ended]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    services.openCalls.remove(running);
    end.abort();
  }
}

function callerOf({ tenant, policy, unattended, context, approve }: CallOptions): HostCaller {
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(policy === undefined ? {} : { policy }),
    ...(unattended === undefined ? {} : { unattended }),
    ...(context === undefined ? {} : { context }),
    ...(approve === undefined ? {} : { approve }),
  };
}

/** The engine ended the call. */
class Ended extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

function asFailure(error: unknown, { tool }: CallSpec): Failure {
  if (error instanceof Ended) return error.failure;
  if (isBulkheadError(error, 'TOOL_NOT_FOUND'))
    return { code: 'TOOL_FAILED', message: error.message };
  return failureOf(error, tool);
}

function resultOf(callId: string, began: number, answer: ToolAnswer): CallResult {
  const result = {
    callId,
    ...answer,
    value: answer.structured ?? textOf(answer.content),
    ...(answer.isError ? { code: 'TOOL_FAILED' as const } : {}),
    durationMs: performance.now() - began,
  };
  removeTags(result);
  return result;
}

/** The approved input, unchanged. `prepareCall` refused anything but an object. */
function inputOf(text: string, tool: string): JsonObject {
  const input: unknown = JSON.parse(text);
  if (isJsonObject(input)) return input;
  throw new BulkheadError(
    'INVALID_INPUT',
    `The input of ${tool} is not an object. Correct the input.`,
    { tool },
  );
}

/** The metadata of the run that a server receives. */
function metadataOf(context: JsonObject): JsonObject {
  const { metadata, conversationId } = context;
  return {
    ...(isJsonObject(metadata) ? metadata : {}),
    ...(typeof conversationId === 'string' ? { run_id: conversationId } : {}),
  };
}

/** Only for results of `JSON.parse`: such an object contains only JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** Retry delay for `BUSY`, in milliseconds. */
const RETRY_AFTER_MS = 100;

function busy(server: string, maxCalls: number): Failure {
  return {
    code: 'BUSY',
    retryAfterMs: RETRY_AFTER_MS,
    message: `${server} has ${maxCalls} calls under way, as many as it may. Try again when one has ended.`,
  };
}
