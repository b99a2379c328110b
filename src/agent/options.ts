import type { CallOptions } from '../engine/types/options.js';
import type { Block, Message } from './message.js';
import type { Model } from './model.js';
import {
  anyText,
  checkedElsewhere,
  either,
  flag,
  list,
  listener,
  oneOf,
  type OptionForms,
  signal,
  text,
  texts,
} from '../engine/types/option-forms.js';
import { policy } from '../engine/types/options-table.js';

/** Options of an agent, for all of its turns. */
export interface AgentOptions {
  readonly model: Model;
  /**
   * An agent of a plugin, as `pluginId:agentId`. Its instructions follow `system` in the system
   * prompt, and its turns offer only the tools that it uses. Default: none.
   */
  readonly agent?: string;
  /** The system prompt. Default: none. */
  readonly system?: string;
  /** Model calls of one turn. Stops a model that calls tools in a loop. Default: 25. */
  readonly maxIterations?: number;
  /** Times that hooks may continue one turn that has ended. Default: 3. */
  readonly maxContinuations?: number;
  /** Tokens of the model's window. A conversation is compacted before it is full. Default: 200,000. */
  readonly maxInputTokens?: number;
  /**
   * Milliseconds for one answer of the model, from first to last byte. Then the turn ends with an error,
   * even if the model continues. Stops an endpoint that stalls. Default: 300,000.
   */
  readonly modelTimeoutMs?: number;
  /** Shortens a history that is too long. Default: the model summarises it. */
  readonly compact?: Compact;
  /**
   * The directory in which the assistant was started, for tools. A plugin sees it if its `fs` grant has
   * it. Default: the plugin's first writable mount, or `/workspace` in its own storage.
   */
  readonly workingDir?: string;
  /** The assistant's id, for tools. Default: none. */
  readonly assistantId?: string;
  /**
   * Tool calls that a hook added to a reply: `run` them like any other, as Vellum's hooks document, or
   * `drop` them. Default: `run`.
   */
  readonly toolUsesOfHooks?: 'run' | 'drop';
}

/** Returns a shorter history in which every tool call still has its result. */
export type Compact = (
  history: readonly Message[],
  signal: AbortSignal,
) => Promise<readonly Message[]>;

/** One turn: the user's prompt and its context. */
export interface TurnInput extends Pick<CallOptions, 'tenant' | 'policy' | 'unattended'> {
  readonly prompt: string | readonly Block[];
  /** The conversation so far, oldest message first. Default: empty. */
  readonly history?: readonly Message[];
  /** The system prompt of this turn. Default: the agent's. */
  readonly system?: string;
  /** Default: `default`. */
  readonly conversationId?: string;
  /** Default: a new UUID. */
  readonly requestId?: string;
  /** Default: the request's id. */
  readonly userMessageId?: string;
  /** The model's profile. Hooks may change it. Default: none. */
  readonly modelProfile?: string | null;
  /** The plugins whose hooks run for this conversation. Default: all. */
  readonly enabledPlugins?: readonly string[] | null;
  /** Whether a user can answer questions. Default: true. */
  readonly isInteractive?: boolean;
  /** Aborts the turn. Default: never. */
  readonly signal?: AbortSignal;
  /** Receives the events of the turn, in order. */
  readonly onEvent?: (event: TurnEvent) => void;
}

/** An event of a turn. The text of a deferred reply comes once, after the hooks. */
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
  /** Estimated tokens before and after. */
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
  /** The whole conversation: pass it to the next turn as `history`. */
  readonly messages: readonly Message[];
  /** The text of the last reply. */
  readonly text: string;
  readonly exitReason: ExitReason;
  readonly error?: { readonly message: string };
  /** The number of model calls. */
  readonly iterations: number;
}

/** What each option of `engine.agent` takes. Its counts are checked with their limits. */
export const AGENT_OPTIONS: OptionForms<AgentOptions> = {
  model: checkedElsewhere,
  agent: text,
  system: anyText,
  maxIterations: checkedElsewhere,
  maxContinuations: checkedElsewhere,
  maxInputTokens: checkedElsewhere,
  modelTimeoutMs: checkedElsewhere,
  compact: listener('a function of the messages'),
  workingDir: text,
  assistantId: text,
  toolUsesOfHooks: oneOf('run', 'drop'),
};

/** What a turn takes. */
export const TURN_INPUT: OptionForms<TurnInput> = {
  prompt: either(anyText, list('blocks')),
  history: list('messages'),
  system: anyText,
  conversationId: text,
  requestId: text,
  userMessageId: text,
  modelProfile: either(anyText, oneOf(null)),
  enabledPlugins: either(texts('["notes"]'), oneOf(null)),
  isInteractive: flag,
  signal,
  onEvent: listener('a function of an event'),
  policy,
  tenant: anyText,
  unattended: flag,
};
