import { FROM_GUEST, FROM_HOST } from '../../../sandbox/wire/limits.js';
import type { GuestLimits } from '../../../sandbox/wire/methods.js';
import { STORAGE_LIMITS } from '../../brokers/storage/limits.js';
import { BulkheadError } from '../../errors.js';
import type { CpuLimits } from '../../guests/allowance.js';

/**
 * Caps on the plugins of an engine: on each guest, each plugin, or all of them together. A name
 * ends in its unit; one without is a count. What each default stops is told in `docs/limits.md`.
 */
export interface EngineLimits extends CpuLimits {
  /** Longest that any call may take; a tool's own shorter timeout holds where it has one. */
  readonly timeoutMs: number;
  /** Longest that a plugin's code may take to load and describe itself. */
  readonly loadTimeoutMs: number;
  /** From the deadline to the kill of a guest that has not settled the call. */
  readonly graceMs: number;
  /** JavaScript heap of one guest in MiB, and as much again for buffers outside of it. */
  readonly memoryMb: number;
  /** Processor time of one guest's whole life. The kernel holds it to that. */
  readonly cpuSeconds: number;
  /** How long a question waits for its answer; silence is then a no. */
  readonly approvalTimeoutMs: number;
  /** Calls under way in the guests of all plugins together; more wait for their turn. */
  readonly maxCalls: number;
  /** Calls under way in one plugin; more wait for their turn. */
  readonly maxCallsPerPlugin: number;
  /** Calls that wait, in all; over it, the longest line's last is `BUSY`. */
  readonly maxWaiting: number;
  /** Calls of one plugin that wait, for each tenant; more are answered `BUSY`. */
  readonly maxWaitingPerPlugin: number;
  /** Longest that a call waits for its turn, and a plugin for a guest; then it is `BUSY`. */
  readonly maxWaitMs: number;
  /** Guests that hold a plugin, in all; over it, idle ones are ended, and else plugins wait. */
  readonly maxGuests: number;
  /** Memory of the guests that hold a plugin, together; over it, idle ones are ended, and none started. */
  readonly maxMemoryMb: number;
  readonly maxResultBytes: number;
  /** Longest that one plugin's hook may take. */
  readonly hookTimeoutMs: number;
  /** Longest that a plugin's `shutdown` may take. */
  readonly shutdownTimeoutMs: number;
  /** Of a hook's context, all fields together; and how many values they hold. */
  readonly maxHookContextBytes: number;
  readonly maxHookContextNodes: number;
  /** Of all that one hook may change. */
  readonly maxHookChangeBytes: number;
  readonly maxInputBytes: number;
  /** Lines a plugin may log in one second; the rest is counted and told in one line. */
  readonly maxLogLinesPerSecond: number;
  /** Of all files in the storage of one plugin. */
  readonly maxStorageBytes: number;
  /** Files and directories in the storage of one plugin. */
  readonly maxStorageFiles: number;
  /** Of one file in it. */
  readonly maxStorageFileBytes: number;
  /** From a plugin's last answer until its guest is stopped, and its timers with it. */
  readonly restAfterMs: number;
  /** From a plugin's last answer until its guest is ended. The next call starts another. */
  readonly endAfterMs: number;
  /** Crashes of one plugin within the window after which it is not started for a while. */
  readonly maxCrashes: number;
  readonly crashWindowMs: number;
  readonly quarantineMs: number;
  /** Blank guests kept ready, however few are wanted. */
  readonly pool: number;
  /** Blank guests kept ready where as many were wanted at once within the last seconds. */
  readonly maxPool: number;
}

/** What holds where a host says nothing. */
export const DEFAULT_LIMITS: EngineLimits = {
  // Pandora's default for a tool is 60 s; nothing that a model waits for should take longer.
  timeoutMs: 60_000,
  loadTimeoutMs: 10_000,
  graceMs: 100,
  memoryMb: 128,
  // Half a processor for a minute, for what nobody is waiting for any more.
  cpuMs: 30_000,
  cpuWindowMs: 60_000,
  cpuPerCallMs: 1_000,
  cpuSeconds: 3_600,
  approvalTimeoutMs: 60_000,
  maxCalls: 1_024,
  maxCallsPerPlugin: 128,
  maxWaiting: 1_024,
  maxWaitingPerPlugin: 256,
  maxWaitMs: 10_000,
  // At 14 MB for an idle one, not quite a gigabyte.
  maxGuests: 64,
  maxMemoryMb: 4_096,
  // Pandora's own cap on what a tool may return.
  maxResultBytes: 1024 * 1024,
  hookTimeoutMs: 30_000,
  shutdownTimeoutMs: 5_000,
  // A long conversation with pictures in it.
  maxHookContextBytes: 32 * 1024 * 1024,
  maxHookContextNodes: 1_000_000,
  maxHookChangeBytes: 4 * 1024 * 1024,
  maxInputBytes: 8 * 1024 * 1024,
  maxLogLinesPerSecond: 100,
  maxStorageBytes: STORAGE_LIMITS.maxBytes,
  maxStorageFiles: STORAGE_LIMITS.maxFiles,
  maxStorageFileBytes: STORAGE_LIMITS.maxFileBytes,
  restAfterMs: 250,
  endAfterMs: 300_000,
  maxCrashes: 3,
  crashWindowMs: 60_000,
  quarantineMs: 60_000,
  pool: 1,
  maxPool: 4,
};

/**
 * Caps that hold inside the guest. They keep honest plugins tidy; the ones that count are on the
 * host's side.
 */
export const GUEST_LIMITS: Omit<GuestLimits, 'maxResultBytes'> = {
  maxTimers: 1_000,
  maxResultDepth: 100,
  maxResultNodes: 100_000,
  maxLogText: 16 * 1024,
  maxFetches: 64,
  maxBodyBytes: 32 * 1024 * 1024,
  maxOutputText: 1024 * 1024,
};

/** Fills in the defaults. Throws `INVALID_OPTIONS` naming the limit that is not one. */
export function readLimits(given: Partial<EngineLimits>): EngineLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw invalid(
        name,
        `There is no such limit; there are ${Object.keys(DEFAULT_LIMITS).join(', ')}.`,
      );
    }
    const least = MAY_BE_NONE.has(name) ? 0 : 1;
    const most = MOST.get(name) ?? LONGEST_TIMER_MS;
    if (!Number.isInteger(value) || value < least || value > most) {
      throw invalid(name, `It takes a whole number from ${least} to ${most}.`);
    }
  }
  return limits;
}

const MAY_BE_NONE: ReadonlySet<string> = new Set(['pool', 'maxWaiting', 'maxWaitingPerPlugin']);

/** Timers beyond 2³¹ − 1 ms fire at once: a limit that large would be none. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What would not fit into one message on the wire, with room for what is said around it. */
const MOST: ReadonlyMap<string, number> = new Map([
  ['maxResultBytes', FROM_GUEST.maxMessageBytes - 1024],
  ['maxHookChangeBytes', FROM_GUEST.maxMessageBytes / 2],
  ['maxHookContextBytes', FROM_HOST.maxMessageBytes / 4],
  ['maxInputBytes', FROM_HOST.maxMessageBytes / 2],
]);

function invalid(name: string, why: string): BulkheadError {
  const option = `limits.${name}`;
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} cannot be used. ${why}`, {
    option,
  });
}
