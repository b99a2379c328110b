import type { JsonObject } from '../../sandbox/wire/messages.js';

/**
 * The client on whose behalf a tool runs. A tool server may ask it, if the operator allows that for the
 * server. A function that is absent: the client does not support it.
 */
export interface CallClient {
  /** Asks the client's user to fill in a form, or to open a page. `params` as in MCP's `elicitation/create`. */
  readonly elicit?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** Asks the client's model. `params` as in MCP's `sampling/createMessage`. */
  readonly sample?: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** Receives the log messages of the server. */
  readonly log?: (message: ServerLogMessage) => void;
}

/** One log message of a server. Nothing of it is verified. */
export interface ServerLogMessage {
  readonly level: LogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
