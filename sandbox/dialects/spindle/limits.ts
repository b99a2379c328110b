import { MAX_TOOLS } from '../tool-list.js';

/** Limits of one Spindle extension, each with the attack that it stops. */
export interface SpindleLimits {
  /** Registered tools. Stops a loop of registrations, as do the next six limits. */
  readonly maxTools: number;
  /** Subscribed events, and handlers of one event. */
  readonly maxEvents: number;
  readonly maxHandlers: number;
  readonly maxMacros: number;
  readonly maxEndpoints: number;
  readonly maxCommands: number;
  readonly maxProviders: number;
  /** Milliseconds for one macro. Stops a macro that delays every prompt. */
  readonly macroMs: number;
  /** Open requests to the host. The host kills a guest with hundreds of them as hostile. */
  readonly maxCalls: number;
  /** Queued calls. Stops a loop of calls from filling the guest's memory. */
  readonly maxQueuedCalls: number;
  /** Milliseconds that `spindle.cors` waits, and bytes of its answer. */
  readonly corsMs: number;
  readonly maxCorsBytes: number;
  /** Files of `spindle.ephemeral`, which are in memory; their bytes; milliseconds of a block. */
  readonly maxEphemeralFiles: number;
  readonly maxEphemeralBytes: number;
  readonly blockMs: number;
  /** Variables of one chat or user. */
  readonly maxVariables: number;
  /** Characters of a value in the enclave, which is for keys. */
  readonly maxEnclaveCharacters: number;
  /** Characters of one generation that `generate.observe` collects. */
  readonly maxObservedCharacters: number;
}

export const SPINDLE_LIMITS: SpindleLimits = {
  maxTools: MAX_TOOLS,
  maxEvents: 1_000,
  maxHandlers: 1_000,
  maxMacros: 1_000,
  maxEndpoints: 1_000,
  maxCommands: 20,
  maxProviders: 100,
  macroMs: 5_000,
  maxCalls: 32,
  maxQueuedCalls: 10_000,
  corsMs: 30_000,
  maxCorsBytes: 25 * 1024 * 1024,
  maxEphemeralFiles: 250,
  maxEphemeralBytes: 8 * 1024 * 1024,
  blockMs: 900_000,
  maxVariables: 1_000,
  maxEnclaveCharacters: 64 * 1024,
  maxObservedCharacters: 4 * 1024 * 1024,
};
