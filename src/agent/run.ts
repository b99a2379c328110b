import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Engine } from '../engine/engine-api.js';
import type { HookOptions } from '../engine/hooks/hooks.js';
import type { HookDialect } from '../hooks/names.js';
import type { Message } from './message.js';
import type { AgentOptions, TurnEvent, TurnInput } from './options.js';

/** One turn under way: what its steps share. */
export interface Run {
  readonly engine: Engine;
  readonly options: Required<
    Pick<
      AgentOptions,
      | 'maxIterations'
      | 'maxContinuations'
      | 'maxInputTokens'
      | 'modelTimeoutMs'
      | 'workingDir'
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
  /** Continuations that hooks may still ask for. */
  continuations: number;
  tell(event: TurnEvent): void;
}

/** Runs a chain of hooks for this turn's conversation; answers the context that it left. */
export async function runHooks(
  { engine, input, signal }: Run,
  hook: string,
  context: object,
  only?: HookDialect,
): Promise<JsonObject> {
  const options: HookOptions = {
    enabledPlugins: input.enabledPlugins ?? null,
    signal,
    ...(only === undefined ? {} : { only }),
  };
  return (await engine.hooks.run(hook, context, options)).context;
}
