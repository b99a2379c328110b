import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { RiskBand } from '../../plugin/risk.js';
import type { RemoteCall } from '../../remotes/remote.js';

/**
 * A tool of the host's own, in the catalog beside the plugins'. Its name is its alone: a plugin's
 * tool of that name is not offered, and only the workspace may override it.
 */
export interface CoreTool {
  /** What a model calls it: `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description?: string;
  /** What its input has to fit. Default: an object without properties. */
  readonly inputSchema?: JsonObject;
  /** Default: `medium`. */
  readonly risk?: RiskBand;
  readonly category?: string;
  /** Not to run beside other calls of one turn. Default: false. */
  readonly exclusive?: boolean;
  /** Whole milliseconds. Default: what the engine allows any tool. */
  readonly timeoutMs?: number;
  /** Runs with the host's own power. What it throws is told to the model: its message, and no more. */
  execute(input: JsonObject, context: CoreToolContext): Promise<CoreToolResult> | CoreToolResult;
}

/** `metadata` is the caller's `context`. */
export type CoreToolContext = Pick<RemoteCall, 'callId' | 'signal' | 'metadata' | 'onOutput'>;

/** A text, or a result as Vellum's tools return it. */
export type CoreToolResult =
  | string
  | {
      readonly content: Json;
      readonly isError?: boolean;
      readonly status?: string;
      readonly yieldToUser?: boolean;
      readonly contentBlocks?: readonly JsonObject[];
    };
