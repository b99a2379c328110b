import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Block, Message } from './message.js';

/** A language model: a provider's endpoint, a model of the host's own, or a script. */
export interface Model {
  /** Answers one request. Rejects with an error whose message may be shown to users. */
  respond(request: ModelRequest, stream: ModelStream): Promise<ModelReply>;
}

export interface ModelRequest {
  /** The system prompt. Default: none. */
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** A profile that a hook or the host chose. The model defines the names. */
  readonly profile?: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: JsonObject;
}

export interface ModelStream {
  /** Receives the reply's text as it is generated. A model that does not stream never calls it. */
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface ModelReply {
  readonly content: readonly Block[];
  /**
   * Tool calls of `content` that must not run, by their id: their input was cut or is not a JSON object.
   * The model gets the reason as an error result. Default: none.
   */
  readonly brokenCalls?: ReadonlyMap<string, string>;
  /** `end_turn`, `tool_use`, `max_tokens`, `refusal` …; absent if the provider did not report it. */
  readonly stopReason?: string | null;
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}
