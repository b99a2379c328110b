import type { CallOptions } from '../engine/options/options.js';
import type { Block, Message } from './message.js';
import type { Model } from './model.js';

/** What a host says once of the turns that an agent runs. */
export interface AgentOptions {
  readonly model: Model;
  readonly system?: string;
  /** Model calls in one turn at most. Stops a model and its tools from going on forever. Default: 25. */
  readonly maxIterations?: number;
  /** How often hooks may make a turn go on that had come to its end. Default: 3. */
  readonly maxContinuations?: number;
  /** The model's window, in tokens; a conversation is compacted before it is full. Default: 200,000. */
  readonly maxInputTokens?: number;
  /**
   * Milliseconds that one answer of the model may take, from first to last; then the turn ends with an
   * error, though the model does not stop. Stops an endpoint that stalls. Default: 300,000.
   */
  readonly modelTimeoutMs?: number;
  /** Makes a shorter history of a long one. Default: the model sums it up. */
  readonly compact?: Compact;
  /** Told to tools: where the assistant was started. Default: `/workspace`. */
  readonly workingDir?: string;
  readonly assistantId?: string;
  /**
   * Tool calls that a hook put into a reply, and no model asked for: run like any other (`run`, what
   * Vellum's hooks document), or left out (`drop`). Default: `run`.
   */
  readonly toolUsesOfHooks?: 'run' | 'drop';
}

/** Must leave every tool call with its result, and be shorter than what it was given. */
export type Compact = (
  history: readonly Message[],
  signal: AbortSignal,
) => Promise<readonly Message[]>;

/** One turn: what the user said, and to whom what happens is told. */
export interface TurnInput extends Pick<CallOptions, 'tenant' | 'policy' | 'unattended'> {
  readonly prompt: string | readonly Block[];
  /** What was said before, oldest first. Default: nothing. */
  readonly history?: readonly Message[];
  readonly system?: string;
  /** Default: `default`. */
  readonly conversationId?: string;
  /** Default: a new one. */
  readonly requestId?: string;
  readonly userMessageId?: string;
  readonly modelProfile?: string | null;
  /** The conversation's plugins, of whose hooks alone are run. Default: all of them. */
  readonly enabledPlugins?: readonly string[] | null;
  /** Whether somebody is there who can answer. Default: true. */
  readonly isInteractive?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TurnEvent) => void;
}

/** What happens in a turn, in order. Text of a deferred reply comes once, when hooks have seen it. */
export type TurnEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reply'; readonly message: Message }
  | {
      readonly type: 'tool-call';
      readonly id: string;
      readonly tool: string;
      readonly input: object;
    }
  | { readonly type: 'tool-output'; readonly id: string; readonly chunk: string }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly text: string;
    }
  | { readonly type: 'compacted'; readonly before: number; readonly after: number };

export type ExitReason =
  | 'no_tool_calls'
  | 'yield_to_user'
  | 'max_tokens_reached'
  | 'budget_yield_unrecovered'
  | 'context_too_large'
  | 'aborted_pre_call'
  | 'aborted_post_response'
  | 'aborted_during_tools'
  | 'aborted_via_error'
  | 'error';

export interface TurnResult {
  /** The whole conversation as it is now: hand it to the next turn as its history. */
  readonly messages: readonly Message[];
  /** The text of the last reply. */
  readonly text: string;
  readonly exitReason: ExitReason;
  readonly error?: { readonly message: string };
  /** Model calls that it took. */
  readonly iterations: number;
}
