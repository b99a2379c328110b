/** The caps on servers of tools that we call, each with the attack it stops. */
export interface RemoteLimits {
  /** Milliseconds to say what it offers. Stops a server that stalls from keeping the others waiting. */
  readonly discoveryMs: number;
  /** Milliseconds for a server that is a process of ours to start, and to say the same. */
  readonly startMs: number;
  /** Bytes of what it says that it offers. */
  readonly maxListingBytes: number;
  /** Tools of one server. Stops lists without end. */
  readonly maxTools: number;
  /** Characters of a description. Stops texts that fill a model's context. */
  readonly maxDescriptionCharacters: number;
  /** Characters of what a server says went wrong. Stops pages of HTML in a model's context. */
  readonly maxErrorCharacters: number;
  /** Attempts at one call, where trying again does no harm. */
  readonly maxAttempts: number;
  /** Milliseconds after which it is asked again what it offers. */
  readonly refreshMs: number;
  /** Milliseconds from one such question to the next, however often it says that it offers others. */
  readonly changedMs: number;
  /** Milliseconds before a stream that a server has ended is opened again, whatever it asks for. */
  readonly reopenMs: number;
  /** Milliseconds for which a token that we sign is good. Stops one that leaks from opening for long. */
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
  changedMs: 5_000,
  reopenMs: 1_000,
  tokenMs: 600_000,
};
