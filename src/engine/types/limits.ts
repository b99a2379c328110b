import { FROM_GUEST, FROM_HOST } from '../../../sandbox/wire/limits.js';
import type { GuestLimits } from '../../../sandbox/wire/methods.js';
import { FILESYSTEM_LIMITS, STORAGE_LIMITS, type StorageLimits } from '../../brokers/limits.js';
import { didYouMean } from '../../did-you-mean.js';
import { BulkheadError } from '../../errors.js';
import type { CpuLimits } from '../../guests/cpu-budget.js';

/**
 * Caps for the plugins of an engine: for each guest, for each plugin, or for all of them together.
 * A name ends in its unit; a name without a unit is a count. `docs/limits.md` lists the defaults
 * and what each cap stops.
 */
export interface EngineLimits extends CpuLimits {
  /** Longest duration of a call. A tool's own timeout applies if it is shorter. Default: 120 s. */
  readonly timeoutMs: number;
  /**
   * Longest time for a plugin to load and list its tools. Time in which a busy machine does not
   * schedule the guest does not count. Default: 10 s.
   */
  readonly loadTimeoutMs: number;
  /**
   * Time for a guest to answer a ping after a call was given up, and for a stateless guest without
   * other calls to settle it. Otherwise the guest is killed. Default: 100 ms.
   */
  readonly graceMs: number;
  /**
   * Longest time that a given-up call may stay unsettled in a guest. After it the guest gets no new
   * calls, and another guest takes its place. Default: 30 s.
   */
  readonly maxUnsettledMs: number;
  /**
   * JavaScript heap of one guest in MiB. Its buffers outside the heap get the same again. Default:
   * 128.
   */
  readonly memoryMb: number;
  /** Processor time of one guest over its lifetime. The kernel enforces it. Default: 3600 s. */
  readonly cpuSeconds: number;
  /**
   * Time for which a call waits for the approver. Then the call fails, and the question can still be
   * answered. Default: 60 s.
   */
  readonly approvalTimeoutMs: number;
  /**
   * Time for which a question can be answered, and for which its approval can be spent. Default: 10
   * minutes.
   */
  readonly approvalExpiryMs: number;
  /** Running calls of all plugins together. Further calls queue. Default: 1024. */
  readonly maxCalls: number;
  /** Running calls of one plugin. Further calls queue. Default: 128. */
  readonly maxCallsPerPlugin: number;
  /**
   * Queued calls of all plugins. If there are more, the last call of the longest queue fails with
   * `BUSY`. Default: 1024.
   */
  readonly maxQueued: number;
  /** Queued calls of one plugin for each tenant. Further calls fail with `BUSY`. Default: 256. */
  readonly maxQueuedPerPlugin: number;
  /**
   * Longest time that a call queues, or that a plugin waits for a guest. Then the call fails with
   * `BUSY`. Default: 10 s.
   */
  readonly maxWaitMs: number;
  /**
   * Loaded guests. At the cap, idle guests are stopped; without idle guests, plugins wait. Default:
   * 64.
   */
  readonly maxGuests: number;
  /**
   * Memory of all loaded guests. Above it, idle guests are stopped and no guest starts. Default:
   * 4096 MiB.
   */
  readonly maxMemoryMb: number;
  /** Largest result of a tool. Default: 1 MiB. */
  readonly maxResultBytes: number;
  /** Longest duration of one plugin's hook. Default: 30 s. */
  readonly hookTimeoutMs: number;
  /** Longest duration of a plugin's `shutdown`. Default: 5 s. */
  readonly shutdownTimeoutMs: number;
  /**
   * Caps of a hook's context, all fields together: bytes (default: 32 MiB) and values (default: 1
   * million).
   */
  readonly maxHookContextBytes: number;
  readonly maxHookContextNodes: number;
  /** All changes of one hook together. Default: 4 MiB. */
  readonly maxHookChangeBytes: number;
  /** Largest input of a call. Default: 8 MiB. */
  readonly maxInputBytes: number;
  /**
   * Log lines of one plugin in a second. Further lines are counted and summarized in one line.
   * Default: 100.
   */
  readonly maxLogLinesPerSecond: number;
  /** All files in the storage of one plugin. Default: 64 MiB. */
  readonly maxStorageBytes: number;
  /** Files and directories in the storage of one plugin. Default: 10,000. */
  readonly maxStorageFiles: number;
  /** One file in the storage. Default: 16 MiB. */
  readonly maxStorageFileBytes: number;
  /**
   * Bytes that one plugin may add to its writable mounts while the engine runs. What it deletes
   * counts less. Default: 1 GiB.
   */
  readonly maxMountBytes: number;
  /** Files and directories that one plugin may add to its writable mounts. Default: 100,000. */
  readonly maxMountFiles: number;
  /**
   * Time from a plugin's last answer until its guest and its timers are suspended. Default: 250 ms.
   */
  readonly suspendAfterMs: number;
  /**
   * Time from a plugin's last answer until its guest is stopped. The next call starts another
   * guest. Default: 5 minutes.
   */
  readonly stopAfterMs: number;
  /**
   * If a plugin crashes this many times within `crashWindowMs`, it does not start for
   * `quarantineMs`. Default: 3.
   */
  readonly maxCrashes: number;
  /**
   * Window in which crashes are counted, and time for which a tenant whose call looped has guests of its
   * own. Default: 60 s.
   */
  readonly crashWindowMs: number;
  /** How long a plugin that crashed `maxCrashes` times does not start. Default: 60 s. */
  readonly quarantineMs: number;
  /** Smallest number of standby guests. Default: 1. */
  readonly pool: number;
  /**
   * Largest number of standby guests. The pool grows when several guests are needed at once, and
   * shrinks after some seconds. Default: 4.
   */
  readonly maxPool: number;
}

/** What a program, such as an MCP server, may use if its user says nothing else, in MiB. */
export const PROGRAM_MEMORY_MB = 256;

export const DEFAULT_LIMITS: EngineLimits = {
  // Pandora's default for a tool is 60 s.
  timeoutMs: 120_000,
  loadTimeoutMs: 10_000,
  graceMs: 100,
  maxUnsettledMs: 30_000,
  memoryMb: 128,
  // Half a processor for a minute, for work outside of calls.
  cpuMs: 30_000,
  cpuWindowMs: 60_000,
  cpuPerCallMs: 1_000,
  cpuSeconds: 3_600,
  approvalTimeoutMs: 60_000,
  approvalExpiryMs: 600_000,
  maxCalls: 1_024,
  maxCallsPerPlugin: 128,
  maxQueued: 1_024,
  maxQueuedPerPlugin: 256,
  maxWaitMs: 10_000,
  // An idle guest uses 14 MB, so 64 guests use almost 1 GB.
  maxGuests: 64,
  maxMemoryMb: 4_096,
  // Pandora's cap on a tool's result.
  maxResultBytes: 1024 * 1024,
  hookTimeoutMs: 30_000,
  shutdownTimeoutMs: 5_000,
  // Fits a long conversation with pictures.
  maxHookContextBytes: 32 * 1024 * 1024,
  maxHookContextNodes: 1_000_000,
  maxHookChangeBytes: 4 * 1024 * 1024,
  maxInputBytes: 8 * 1024 * 1024,
  maxLogLinesPerSecond: 100,
  maxStorageBytes: STORAGE_LIMITS.maxBytes,
  maxStorageFiles: STORAGE_LIMITS.maxFiles,
  maxStorageFileBytes: STORAGE_LIMITS.maxFileBytes,
  maxMountBytes: FILESYSTEM_LIMITS.maxMountBytes,
  maxMountFiles: FILESYSTEM_LIMITS.maxMountFiles,
  suspendAfterMs: 250,
  stopAfterMs: 300_000,
  maxCrashes: 3,
  crashWindowMs: 60_000,
  quarantineMs: 60_000,
  pool: 1,
  maxPool: 4,
};

/**
 * Caps that the guest applies to itself. They keep honest plugins within bounds; the host enforces
 * its own caps.
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

/** Adds the defaults. Throws `INVALID_OPTIONS` that names the invalid limit. */
export function readLimits(given: Partial<EngineLimits>): EngineLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      const names = Object.keys(DEFAULT_LIMITS);
      const meant = didYouMean(name, names) ?? names.find((known) => known === `${name}Ms`);
      const remedy =
        meant === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${meant}?`;
      throw invalid(name, `There is no such limit. ${remedy}`);
    }
    const least = MAY_BE_NONE.has(name) ? 0 : 1;
    const most = MOST.get(name) ?? LONGEST_TIMER_MS;
    if (!Number.isInteger(value) || value < least || value > most) {
      throw invalid(name, `It takes a whole number from ${least} to ${most}.`);
    }
  }
  return limits;
}

const MAY_BE_NONE: ReadonlySet<string> = new Set(['pool', 'maxQueued', 'maxQueuedPerPlugin']);

/** Timers fire at once if their delay exceeds 2³¹ − 1 ms, so a larger limit would not work. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** Largest values that fit into one message on the wire, with its envelope. */
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

/** The limits of the plugins' storage. */
export function storageLimitsOf(limits: EngineLimits): StorageLimits {
  return {
    ...STORAGE_LIMITS,
    maxBytes: limits.maxStorageBytes,
    maxFiles: limits.maxStorageFiles,
    maxFileBytes: limits.maxStorageFileBytes,
  };
}
