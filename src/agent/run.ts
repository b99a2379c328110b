import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import type { HookOptions } from '../engine/hooks/hooks.js';
import { BulkheadError } from '../errors.js';
import type { HookSemantics } from '../plugin/hooks.js';
import type { Message } from './message.js';
import type { AgentOptions, TurnEvent, TurnInput } from './options.js';

/** The state that the steps of one turn share. */
export interface Run {
  readonly engine: Engine;
  readonly options: Required<
    Pick<
      AgentOptions,
      | 'maxIterations'
      | 'maxContinuations'
      | 'maxInputTokens'
      | 'modelTimeoutMs'
      | 'toolUsesOfHooks'
      | 'model'
    >
  > &
    AgentOptions;
  readonly input: TurnInput;
  readonly conversationId: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** The conversation so far. */
  messages: readonly Message[];
  /** Continuations that hooks may still request. */
  continuations: number;
  emit(event: TurnEvent): void;
}

/** Runs a chain of hooks for this turn's conversation and returns the resulting context. */
export async function runHooks(
  { engine, input, signal }: Run,
  hook: string,
  context: object,
  only?: HookSemantics,
): Promise<JsonObject> {
  const options: HookOptions = {
    enabledPlugins: input.enabledPlugins ?? null,
    signal,
    ...(input.tenant === undefined ? {} : { tenant: input.tenant }),
    ...(only === undefined ? {} : { only }),
  };
  return (await engine.hooks.run(hook, context, options)).context;
}

/**
 * Waits for a model for at most `modelTimeoutMs`, even if the model ignores its signal. Rejects with
 * `MODEL_FAILED` at the timeout, and with the signal's reason if the turn is aborted.
 */
export async function waitForModel<Answer>(
  { options: { modelTimeoutMs }, signal }: Pick<Run, 'options' | 'signal'>,
  work: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const timeout = new AbortController();
  const either = AbortSignal.any([signal, timeout.signal]);
  either.throwIfAborted();
  const timer = setTimeout(() => timeout.abort(timedOut(modelTimeoutMs)), modelTimeoutMs);
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(asError(either.reason));
    either.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([work(either), aborted]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener('abort', onAbort);
  }
}

function timedOut(ms: number): BulkheadError {
  return new BulkheadError(
    'MODEL_FAILED',
    `The model did not answer within ${ms} ms. Raise the agent’s option modelTimeoutMs to allow it.`,
    {},
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The turn was aborted.');
}
