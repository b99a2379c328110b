import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { Block, Message } from './message.js';

/** Whatever answers a conversation: a provider's endpoint, a model of one's own, a script. */
export interface Model {
  /** Answers one request. Rejects with an error whose message may be shown. */
  respond(request: ModelRequest, stream: ModelStream): Promise<ModelReply>;
}

export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** A hook's or the host's choice among what the model knows by such names. */
  readonly profile?: string;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: JsonObject;
}

export interface ModelStream {
  /** Receives the reply's text as it is written. A model that does not stream never calls it. */
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface ModelReply {
  readonly content: readonly Block[];
  /** `end_turn`, `tool_use`, `max_tokens`, `refusal` …; absent where the provider did not say. */
  readonly stopReason?: string | null;
  readonly usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
}
