/** What one Spindle extension may have of everything, each with what it stops. */
export interface SpindleLimits {
  /** Tools registered at a time. Stops one that registers in a loop; so do the next six. */
  readonly maxTools: number;
  /** Events that it subscribes to, and handlers of one event. */
  readonly maxEvents: number;
  readonly maxHandlers: number;
  readonly maxMacros: number;
  readonly maxEndpoints: number;
  readonly maxCommands: number;
  readonly maxProviders: number;
  /** How long a macro may take. Stops one that keeps every prompt waiting. */
  readonly macroMs: number;
  /** Calls of the host at a time: a host takes a guest that asks for hundreds at once for hostile. */
  readonly maxCalls: number;
  /** Calls that wait their turn. Stops a loop of calls from filling the guest's memory. */
  readonly maxWaitingCalls: number;
  /** How long `spindle.cors` waits, and the bytes that it answers with at most. */
  readonly corsMs: number;
  readonly maxCorsBytes: number;
  /** Files of `spindle.ephemeral`, which live in memory, their bytes, and how long a block is kept. */
  readonly maxEphemeralFiles: number;
  readonly maxEphemeralBytes: number;
  readonly blockMs: number;
  /** Variables of one chat or user. */
  readonly maxVariables: number;
  /** Characters of a value in the enclave, which is for keys and not for files. */
  readonly maxEnclaveCharacters: number;
  /** Characters of one generation that `generate.observe` gathers. */
  readonly maxObservedCharacters: number;
}

export const SPINDLE_LIMITS: SpindleLimits = {
  maxTools: 1_000,
  maxEvents: 1_000,
  maxHandlers: 1_000,
  maxMacros: 1_000,
  maxEndpoints: 1_000,
  maxCommands: 20,
  maxProviders: 100,
  macroMs: 5_000,
  maxCalls: 32,
  maxWaitingCalls: 10_000,
  corsMs: 30_000,
  maxCorsBytes: 25 * 1024 * 1024,
  maxEphemeralFiles: 250,
  maxEphemeralBytes: 8 * 1024 * 1024,
  blockMs: 900_000,
  maxVariables: 1_000,
  maxEnclaveCharacters: 64 * 1024,
  maxObservedCharacters: 4 * 1024 * 1024,
};
