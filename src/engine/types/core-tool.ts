import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { RiskBand } from '../../plugin/risk.js';
import type { RemoteCall } from '../../remotes/remote.js';

/**
 * A tool of the host. The catalog lists it beside the plugins' tools. A plugin's tool with the same
 * name is left out. Only the workspace may override it.
 */
export interface CoreTool {
  /** The name that the model sees: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its input. Default: an object without properties. */
  readonly inputSchema?: JsonObject;
  /** Default: `medium`. */
  readonly risk?: RiskBand;
  readonly category?: string;
  /** Whether it must not run in parallel with other calls of one turn. Default: false. */
  readonly exclusive?: boolean;
  /** Whole milliseconds. Default: the engine's `limits.timeoutMs`. */
  readonly timeoutMs?: number;
  /**
   * Runs with the full rights of the host process. If it throws, the model sees only the error's
   * message.
   */
  execute(input: JsonObject, context: CoreToolContext): Promise<CoreToolResult> | CoreToolResult;
}

/** `metadata` is the caller's `context`. `caller`: pass it on if the tool calls `engine.call`. */
export type CoreToolContext = Pick<
  RemoteCall,
  'callId' | 'signal' | 'timeoutMs' | 'metadata' | 'caller' | 'onOutput'
>;

/** A text, or a result in the shape of Vellum's tools. */
export type CoreToolResult =
  | string
  | {
      readonly content: Json;
      readonly isError?: boolean;
      readonly status?: string;
      readonly yieldToUser?: boolean;
      readonly contentBlocks?: readonly JsonObject[];
    };
