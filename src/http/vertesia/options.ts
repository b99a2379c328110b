import type { VerifierOptions } from '../tokens/verifier.js';
import type { ServerLimits } from '../limits.js';

export interface VertesiaOptions extends Omit<VerifierOptions, 'limits'> {
  /** The URL by which others reach the handler: `src` in what it says of itself. */
  readonly url: string;
  /** Default: `Bulkhead`. */
  readonly title?: string;
  readonly description?: string;
  /** Names of the tools that are served, as the catalog has them; `*` stands for anything. Default: all. */
  readonly tools?: readonly string[];
  /** Tells more of each tool than the protocol asks for: `annotations`, `approval_class`, `category`. */
  readonly details?: boolean;
  readonly limits?: Partial<ServerLimits>;
  /** Told of every invocation that came in with a token that is good. */
  readonly onInvocation?: (invocation: InvocationRecord) => void;
}

/** One invocation, for the log: who asked for what, and what came of it. */
export interface InvocationRecord {
  readonly toolUseId: string;
  readonly tool: string;
  readonly subject: string | undefined;
  readonly organization: string | undefined;
  readonly callId: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}
