import type { CpuBudget } from './cpu-budget.js';
import type { GuestHandle } from './shared-guest.js';
import type { ProcessorUse } from '../processor.js';

export interface WatchSpec {
  readonly guest: GuestHandle;
  readonly cpuBudget: CpuBudget;
  /** Processor time that it used on standby, if it was stored. */
  readonly usedOnStandbyMs?: number | undefined;
  readonly readUse: (pid: number) => ProcessorUse | undefined;
  /** Its own memory in MiB, if the system reports it. */
  readonly readMemory: (pid: number) => number | undefined;
  /** Called after each measurement of the memory. */
  readonly onMeasured: () => void;
  /** Whether its plugin may run without calls: then it is neither suspended nor ended. */
  readonly background: boolean;
  /** Whether this machine can suspend a process that still dies with its host. */
  readonly canSuspend: boolean;
  /** Milliseconds from the last answer until it is suspended. */
  readonly suspendAfterMs: number;
  /** Milliseconds from the last answer until it is ended. */
  readonly stopAfterMs: number;
  /**
   * Milliseconds after the host's last request in which the guest's own requests keep it awake.
   * Stops a plugin that sends requests forever to run in the background. Default: 5 minutes.
   */
  readonly awakeMs?: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export interface Watch {
  /** Since when it is idle; `undefined` while requests are open, or if it may run in the background. */
  readonly idleSinceMs: number | undefined;
  /** Whether it may be ended when it is idle. */
  readonly mayStop: boolean;
  /** Its memory at the last measurement, in MiB. */
  readonly memoryMb: number;
}

/** The memory of a guest that was not measured yet. */
const ASSUMED_MB = 14;

/** Far above the time of a model that answers a handler of a message. */
const AWAKE_MS = 300_000;

/** Milliseconds between two checks of a running guest: the most that it can burn unnoticed. */
const CHECK_MS = 250;

/**
 * Milliseconds without a request after which a guest collects its garbage, so that it has done it when it is
 * suspended. Measured for an MCP server with separate packages: 2 MB less, for 11 to 24 ms on a machine that took
 * three times its usual time.
 */
const COLLECT_MS = 125;

/** Processor time in milliseconds in which there may be garbage that is worth it. */
const COLLECT_AFTER_MS = 100;

/** Milliseconds between two measurements of memory, which cost more than a check. */
const MEASURE_MS = 1_000;

/** Milliseconds in which a guest ends that says so. */
const ENDING_MS = 5_000;

/**
 * Watches a guest that holds a plugin until the guest ends:
 *
 * ```
 *              request                    no call for suspendAfterMs
 *   ┌─────────────────────────► runs ─────────────────────────────► suspended (SIGSTOP)
 *   │                            │ over its processor time,                      │
 *   └── request (SIGCONT) ───┐   ▼ or no call for stopAfterMs                    │
 *                            │  ended ◄─────────────────────────────────────────┘
 *                            └──────────────────────────────────────────────────┘
 * ```
 *
 * A guest that waits for its host is not idle, for a limited time. A guest whose requests all wait for
 * a person may be suspended. A guest that says that it ends itself is not, and is ended if it does not. It polls, so that it adds nothing to a call.
 * Between two requests, the guest collects its garbage if it has worked: a suspended guest cannot.
 */
export function watchGuest(spec: WatchSpec): Watch {
  const { guest, cpuBudget, background, now, awakeMs = AWAKE_MS } = spec;
  let timer: NodeJS.Timeout | undefined;
  let busyMs = now();
  /** The last time that a request of the host was open. */
  let askedMs = busyMs;
  let endingSinceMs: number | undefined;
  let memoryMb = ASSUMED_MB;
  let measuredMs = busyMs;
  /** When it last collected its garbage. */
  let collected: { readonly requestCount: number; readonly usedMs: number } | undefined;
  // The plugin does not pay for the start of its guest.
  let last = {
    requestCount: guest.requestCount,
    callCount: guest.callCount,
    answered: guest.hostWaits.answered,
    usedMs: spec.usedOnStandbyMs ?? spec.readUse(guest.pid)?.usedMs ?? 0,
  };

  const check = (): void => {
    const use = spec.readUse(guest.pid);
    const { requestCount, callCount, peer } = guest;
    const { answered } = guest.hostWaits;
    const usedMs = use?.usedMs ?? last.usedMs;
    cpuBudget.charge(now(), Math.max(0, usedMs - last.usedMs), callCount - last.callCount);
    if (peer.openRequests > 0 || requestCount !== last.requestCount) askedMs = now();
    // A guest goes on with an answer of its host. On a busy machine it may not have read it yet.
    // guard: answered-guest-awake
    const goesOn = answered !== last.answered && now() - askedMs < awakeMs;
    if (requestCount !== last.requestCount || goesOn || isBusy()) busyMs = now();
    last = { requestCount, callCount, answered, usedMs };
    if (now() - measuredMs >= MEASURE_MS) measureMemory();
  };
  const measureMemory = (): void => {
    measuredMs = now();
    memoryMb = spec.readMemory(guest.pid) ?? memoryMb;
    spec.onMeasured();
  };

  /** The guest does so only between requests of its host: code that works by itself gets no more time. */
  const isCollectionDue = (): boolean =>
    guest.peer.openRequests === 0 &&
    guest.requestCount !== collected?.requestCount &&
    (collected === undefined || last.usedMs - collected.usedMs >= COLLECT_AFTER_MS);

  /** Has an idle guest collect its garbage, if it is time. Returns milliseconds until the next check. */
  const collectIfDue = (idleMs: number): number => {
    if (!isCollectionDue()) return CHECK_MS;
    const collectMs = Math.min(COLLECT_MS, spec.suspendAfterMs / 2);
    if (idleMs < collectMs) return collectMs - idleMs;
    collected = { requestCount: guest.requestCount, usedMs: last.usedMs };
    guest.collectGarbage();
    // It has as long again to do so before it is suspended.
    return collectMs;
  };

  const isBusy = (): boolean => {
    const { openRequests } = guest.peer;
    const { open, forPerson } = guest.hostWaits;
    // With several requests of the host, some may not wait for the person.
    if (openRequests > 0) return openRequests > 1 || open === 0 || open > forPerson;
    // guard: awake-time-capped
    return open > forPerson && now() - askedMs < awakeMs;
  };

  const tick = (): void => {
    if (!guest.alive) return;
    check();
    const { overdraft } = cpuBudget;
    if (overdraft !== undefined) {
      cpuBudget.reset();
      // guard: cpu-overdraft-kills
      guest.kill({ cause: 'cpu', detail: overdraft });
      return;
    }
    if (guest.ending) {
      endingSinceMs ??= now();
      // guard: ending-guest-ended
      if (now() - endingSinceMs >= ENDING_MS) {
        guest.kill({ cause: 'crash', detail: 'its program ended, and its process did not' });
      } else schedule(CHECK_MS);
      return;
    }
    const idleMs = now() - busyMs;
    const hasRequests = guest.peer.openRequests > 0;
    if (background || isBusy()) schedule(CHECK_MS);
    // guard: idle-guest-ended
    else if (idleMs >= spec.stopAfterMs && !hasRequests) end();
    else if (spec.canSuspend && idleMs >= spec.suspendAfterMs && !isCollectionDue()) {
      measureMemory();
      // guard: idle-guest-suspended
      guest.suspend();
      schedule(hasRequests ? spec.stopAfterMs : spec.stopAfterMs - idleMs);
    } else schedule(Math.min(collectIfDue(idleMs), spec.stopAfterMs - idleMs));
  };

  const end = (): void =>
    guest.kill({ cause: 'idle', detail: `it got no call for ${spec.stopAfterMs} ms` });

  const schedule = (afterMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(tick, afterMs);
    // An idle guest does not keep the host's process alive.
    timer.unref();
  };

  schedule(CHECK_MS);
  guest.onResume(() => {
    busyMs = now();
    schedule(CHECK_MS);
  });
  void guest.ended.then(() => clearTimeout(timer));

  return {
    get idleSinceMs() {
      return background || guest.peer.openRequests > 0 || isBusy() ? undefined : busyMs;
    },
    mayStop: !background,
    get memoryMb() {
      return memoryMb;
    },
  };
}
