import { checkOptions } from '../engine/types/option-forms.js';
import { randomUUID } from 'node:crypto';
import type { Engine as PlainEngine } from '../engine/engine-api.js';
import type { EngineOptions } from '../engine/types/options.js';
import { BulkheadError } from '../errors.js';
import {
  AGENT_OPTIONS,
  type AgentOptions,
  TURN_INPUT,
  type TurnInput,
  type TurnResult,
} from './options.js';
import { findAgent, joinedSystem, withAgent } from './plugin-agent.js';
import { runTurn } from './turn.js';

/** Runs turns of conversations: the model replies, tools run, and hooks see every step. */
export interface Agent {
  /**
   * Runs one turn. A failure of a plugin or of the model is in the result. Rejects only with
   * `INVALID_OPTIONS` and `ENGINE_CLOSED`.
   */
  turn(input: TurnInput): Promise<TurnResult>;
}

/** Runs plugins, offers their tools and hooks, and runs turns in which a model uses them. */
export interface Engine extends PlainEngine {
  /** An agent whose turns use this engine's tools and hooks. Throws `INVALID_OPTIONS`. */
  agent(options: AgentOptions): Agent;
}

/**
 * Inspects the plugins and returns the engine that runs them. A plugin that fails is listed by
 * `plugins()` with its problem; the other plugins still run.
 *
 * Throws `INVALID_OPTIONS`, and `WALL_MISSING` if the host requires a wall that is not active.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  // Read at this moment, so that importing the package costs little.
  const { createEngine: createPlainEngine } = await import('../engine/engine.js');
  const engine = await createPlainEngine(options);
  return Object.assign(engine, {
    agent: (agentOptions: AgentOptions) => makeAgent(engine, agentOptions),
  });
}

const DEFAULTS = {
  maxIterations: 25,
  maxContinuations: 3,
  maxInputTokens: 200_000,
  modelTimeoutMs: 300_000,
  toolUsesOfHooks: 'run',
} as const;

const COUNTS = ['maxIterations', 'maxContinuations', 'maxInputTokens', 'modelTimeoutMs'] as const;

/** Timers fire at once if their delay is longer. */
const MOST = 2 ** 31 - 1;

/** Throws `INVALID_OPTIONS` for options without a model, or with a number that is not usable. */
export function makeAgent(engine: PlainEngine, given: AgentOptions): Agent {
  if (typeof given.model?.respond !== 'function') {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option model takes an object with a function respond, e.g. openAiModel({ url, model }).',
      { option: 'model' },
    );
  }
  checkOptions(given, AGENT_OPTIONS, 'engine.agent');
  const chosen = given.agent === undefined ? undefined : findAgent(engine, given.agent);
  const system = joinedSystem(given.system, chosen);
  const options = { ...DEFAULTS, ...given, ...(system === undefined ? {} : { system }) };
  for (const name of COUNTS) {
    const least = name === 'maxContinuations' ? 0 : 1;
    // guard: agent-options-finite
    if (!Number.isInteger(options[name]) || options[name] < least || options[name] > MOST) {
      throw new BulkheadError(
        'INVALID_OPTIONS',
        `The option ${name} takes a whole number from ${least} to ${MOST}, not ${String(options[name])}.`,
        { option: name },
      );
    }
  }
  return {
    turn: async (input) => {
      checkOptions(input, TURN_INPUT, 'agent.turn');
      return runTurn({
        engine,
        options,
        input: chosen === undefined ? input : withAgent(engine, chosen, input),
        conversationId: input.conversationId ?? 'default',
        requestId: input.requestId ?? randomUUID(),
        signal: input.signal ?? new AbortController().signal,
        messages: input.history ?? [],
        continuations: options.maxContinuations,
        emit: (event) => {
          try {
            input.onEvent?.(event);
          } catch {
            // A listener that throws must not leave a tool call without its result.
          }
        },
      });
    },
  };
}
