import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { isBulkheadError } from '../../errors.js';
import { textOf, type ToolAnswer } from '../../plugin/answer.js';
import { type CallSpec, cancelled, deadlineOf, tooLate } from './call.js';
import type { PlacedElsewhere } from './placed-elsewhere.js';
import { answerOf, type CallResult, type Failure, failureOf } from './result.js';

/**
 * Runs a call at the server that has its tool, within its deadline. At the deadline, or when the
 * caller gives up, the caller is answered and the request given up; what the server does then is its
 * own affair.
 */
export async function runRemoteCall(
  spec: CallSpec & { readonly place: PlacedElsewhere },
): Promise<CallResult> {
  const { callId, tool, place, options, limits, events } = spec;
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
  });
  const result = await ask(spec).then(
    (answer) => resultOf(callId, began, answer),
    (error: unknown) => fail(asFailure(error, spec)),
  );
  load.underWay -= 1;
  events.emit({
    type: 'call-ended',
    ...about,
    outcome: result.isError ? 'error' : 'ok',
    ...(result.code === undefined ? {} : { code: result.code }),
    durationMs: result.durationMs,
  });
  return result;
}

/** Rejects with what ended it: the deadline and the caller end it at once. */
async function ask({
  callId,
  tool,
  place,
  inputText,
  options,
  limits,
  beforeEffect,
}: CallSpec & { readonly place: PlacedElsewhere }): Promise<ToolAnswer> {
  const timeoutMs = deadlineOf(tool, {}, options, limits);
  const end = new AbortController();
  let stop: (failure: Failure) => void = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    stop = (failure) => {
      reject(new Ended(failure));
      end.abort();
    };
  });
  const timer = setTimeout(() => stop(tooLate(tool, timeoutMs)), timeoutMs);
  const onAbort = (): void => stop(cancelled(tool));
  options.signal?.addEventListener('abort', onAbort);
  const { onOutput } = options;
  const run = async (): Promise<ToolAnswer> => {
    // Whoever was told that it started may have given it up at once.
    if (options.signal?.aborted === true) throw new Ended(cancelled(tool));
    await beforeEffect?.();
    return place.remote.run({
      callId,
      input: inputOf(inputText),
      signal: end.signal,
      timeoutMs,
      metadata:
        place.isHosts === true ? (options.context ?? {}) : metadataOf(options.context ?? {}),
      maxResultBytes: limits.maxResultBytes,
      // Nothing after the call is answered.
      ...(onOutput === undefined
        ? {}
        : { onOutput: (chunk) => (end.signal.aborted ? undefined : onOutput(chunk)) }),
    });
  };
  try {
    return await Promise.race([run(), ended]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    end.abort();
  }
}

/** Why a call was ended from our side. */
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
  return {
    callId,
    ...answer,
    value: answer.structured ?? textOf(answer.content),
    ...(answer.isError ? { code: 'TOOL_FAILED' as const } : {}),
    durationMs: performance.now() - began,
  };
}

/** Servers take an object: anything else is handed over as one that is empty. */
function inputOf(text: string): JsonObject {
  const input: unknown = JSON.parse(text);
  return isJsonObject(input) ? input : {};
}

/** What a server is told of the run. */
function metadataOf(context: JsonObject): JsonObject {
  const { metadata, conversationId } = context;
  return {
    ...(isJsonObject(metadata) ? metadata : {}),
    ...(typeof conversationId === 'string' ? { run_id: conversationId } : {}),
  };
}

/** What JSON.parse made of an object holds nothing but JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** How soon it is worth to ask again: small calls take less than a millisecond. */
const RETRY_AFTER_MS = 100;

function busy(server: string, maxCalls: number): Failure {
  return {
    code: 'BUSY',
    retryAfterMs: RETRY_AFTER_MS,
    message: `${server} has ${maxCalls} calls under way, as many as it may. Try again when one has ended.`,
  };
}
