import type { ServerLimits } from '../limits.js';
import type { AcquireSlot } from '../route.js';
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

/** The tokens that a server trusts. */
export type TokenPolicy = Pick<VertesiaOptions, 'jwks' | 'audience' | 'organizations'>;

/** A custom tool server of Vertesia's protocol. */
export interface VertesiaHandler {
  /**
   * GET lists the tools. POST runs one, and requires a valid token. `acquireSlot` is called for a
   * verified caller before the body is read, and never for another caller. Its error is the answer.
   */
  fetch(request: Request, acquireSlot?: AcquireSlot): Promise<Response>;
  /**
   * The other parts of an application: its package, and its tools as activities, at `APPLICATION_PATHS`
   * below `base`. `acquireSlot` is called as in `fetch`.
   */
  application(request: Request, base: string, acquireSlot?: AcquireSlot): Promise<Response>;
  /**
   * Fetches the keys of all issuers again at their next use. With `tokens`, only these are trusted from
   * now on. Throws `INVALID_OPTIONS` for tokens that are not valid, and then changes nothing.
   */
  refresh(tokens?: TokenPolicy): void;
  close(): Promise<void>;
}
