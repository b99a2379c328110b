import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import type { RiskBand } from '../../plugin/risk.js';

/** Something of the host's own that plugins may be lent by name. */
export interface PowerDefinition {
  /** By which plugins call it, as `powers.<name>(arguments)`: letters, digits, `_`, `.` and `-`. */
  readonly name: string;
  /** For the person who is asked whether a plugin may have it: what it does, in one sentence. */
  readonly description?: string;
  /**
   * The name of the `powers` permission that lends it. Several powers may share one. Default: its
   * own name.
   */
  readonly permission?: string;
  /** JSON Schema of the arguments. Default: anything that is JSON. */
  readonly arguments?: JsonObject;
  /** JSON Schema of the result: what the handler gives that does not fit never reaches a plugin. */
  readonly result?: JsonObject;
  /** What it can do at worst: counts for the risk of the tools of a plugin that holds it. Default: medium. */
  readonly risk?: RiskBand;
  /** Longest that one use may take, in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number;
  /**
   * Does it. `args` is a copy that fits the schema, with its defaults filled in; what is returned is
   * copied as JSON. What is thrown is told to the plugin as a failure without its words, since those
   * may speak of the host, unless the error has a property `expose` that is true.
   */
  readonly handler: (args: Json, context: PowerContext) => unknown;
}

export interface PowerContext {
  /** The id of the plugin that asks: the engine's word, not the plugin's. */
  readonly plugin: string;
  /** The permission by which it may. */
  readonly permission: string;
  /** Aborts where the plugin gives up, ends or loses the permission, and at the deadline. */
  readonly signal: AbortSignal;
}
