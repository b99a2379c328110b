/** The caps of one plugin's use of the host's powers, each with the attack it stops. */
export interface PowerLimits {
  /** Bytes of JSON that one use may carry. Stops arguments that are dear to check. */
  readonly maxArgumentBytes: number;
  /** Bytes of JSON that come back. Stops a question whose answer fills the guest and the wire. */
  readonly maxResultBytes: number;
  /** Uses under way. Stops a plugin from taking all of what the host has for everybody. */
  readonly maxActive: number;
  /** Uses that wait for one of those. Stops a queue that grows without end. */
  readonly maxWaiting: number;
  /** Longest that a use may take where its definition says nothing else. Stops waiting for ever. */
  readonly timeoutMs: number;
}

export const POWER_LIMITS: PowerLimits = {
  maxArgumentBytes: 1024 * 1024,
  maxResultBytes: 8 * 1024 * 1024,
  maxActive: 16,
  maxWaiting: 64,
  timeoutMs: 60_000,
};
