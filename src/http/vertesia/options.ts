import type { ServerLimits } from '../limits.js';
import type { VerifierOptions } from '../tokens/verify.js';

export interface VertesiaOptions extends Omit<VerifierOptions, 'limits'> {
  /** The handler's public URL: `src` in its description of itself. */
  readonly url: string;
  /** Default: `Bulkhead`. */
  readonly title?: string;
  readonly description?: string;
  /** Names in the catalog of the tools to serve; `*` matches any text. Default: all. */
  readonly tools?: readonly string[];
  /** Adds `annotations`, `approval_class` and `category` to each tool. Default: false. */
  readonly details?: boolean;
  readonly limits?: Partial<ServerLimits>;
  /** Receives every invocation with a valid token. */
  readonly onInvocation?: (invocation: InvocationRecord) => void;
}

/** One invocation, for the log. */
export interface InvocationRecord {
  readonly toolUseId: string;
  readonly tool: string;
  readonly subject: string | undefined;
  readonly organization: string | undefined;
  readonly callId: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}
