import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { ToolAnswer } from './answer.js';

/**
 * Runs a tool that is not in a guest: the host's own, or one of a server. Rejects with what went
 * wrong; everything that the tool itself has to say is an answer.
 */
export type RunOutside = (call: OutsideCall) => Promise<ToolAnswer>;

export interface OutsideCall {
  readonly callId: string;
  /** A copy of its own. */
  readonly input: JsonObject;
  /** Aborted at the call's deadline, and where its caller gives up. */
  readonly signal: AbortSignal;
  /** Milliseconds until then. */
  readonly timeoutMs: number;
  /** What the caller tells of the run. */
  readonly metadata: JsonObject;
  readonly maxResultBytes: number;
  readonly onOutput?: (chunk: string) => void;
}
