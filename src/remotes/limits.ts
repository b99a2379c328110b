/** The limits of remote tool servers, each with the attack it stops. */
export interface RemoteLimits {
  /** Milliseconds to list the tools. Stops a server that stalls from delaying the others. */
  readonly discoveryMs: number;
  /** Milliseconds for a server that is a child process to start and to list its tools. */
  readonly startMs: number;
  /** Bytes of a list of tools. */
  readonly maxListingBytes: number;
  /** Tools of one server. Stops lists without end. */
  readonly maxTools: number;
  /** Characters of a description. Stops texts that fill a model's context. */
  readonly maxDescriptionCharacters: number;
  /** Characters of a server's error message. Stops pages of HTML in a model's context. */
  readonly maxErrorCharacters: number;
  /** Attempts of one call, if a retry is safe. */
  readonly maxAttempts: number;
  /** Milliseconds between two lists of a server's tools. */
  readonly refreshMs: number;
  /** Milliseconds between two lists of a server that announces changes and has no stream to report them. */
  readonly pollMs: number;
  /** Milliseconds between two lists of a server that reports changes. Stops reports in a loop. */
  readonly changedMs: number;
  /** Milliseconds before a stream that a server ended is opened again, even if it requests less: after the first three. */
  readonly reopenMs: number;
  /** Milliseconds for which a token that we sign is valid. Limits the damage of a token that leaks. */
  readonly tokenMs: number;
}

export const REMOTE_LIMITS: RemoteLimits = {
  discoveryMs: 5_000,
  startMs: 15_000,
  maxListingBytes: 4 * 1024 * 1024,
  maxTools: 1_000,
  maxDescriptionCharacters: 16 * 1024,
  maxErrorCharacters: 500,
  maxAttempts: 3,
  refreshMs: 300_000,
  pollMs: 60_000,
  changedMs: 5_000,
  reopenMs: 1_000,
  tokenMs: 600_000,
};
