import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine/engine-api.js';
import { BulkheadError } from '../errors.js';
import type { AgentOptions, TurnInput, TurnResult } from './options.js';
import { runTurn } from './turn.js';

/** Runs turns of conversations: a model speaks, tools run, results return, hooks see all of it. */
export interface Agent {
  /**
   * Runs one turn. Whatever a plugin or the model does wrong is in the result; rejects only
   * `INVALID_OPTIONS` and `ENGINE_CLOSED`.
   */
  turn(input: TurnInput): Promise<TurnResult>;
}

const DEFAULTS = {
  maxIterations: 25,
  maxContinuations: 3,
  maxInputTokens: 200_000,
  modelTimeoutMs: 300_000,
  workingDir: '/workspace',
  toolUsesOfHooks: 'run',
} as const;

/** Throws `INVALID_OPTIONS` for options without a model. */
export function makeAgent(engine: Engine, given: AgentOptions): Agent {
  if (typeof given.model?.respond !== 'function') {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option model takes an object with a function respond, e.g. openAiModel({ url, model }).',
      { option: 'model' },
    );
  }
  const options = { ...DEFAULTS, ...given };
  return {
    turn: (input) =>
      runTurn({
        engine,
        options,
        input,
        conversationId: input.conversationId ?? 'default',
        requestId: input.requestId ?? randomUUID(),
        signal: input.signal ?? new AbortController().signal,
        messages: input.history ?? [],
        continuations: options.maxContinuations,
        tell: (event) => input.onEvent?.(event),
      }),
  };
}
