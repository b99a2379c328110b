import type { Allowance } from './allowance.js';
import type { GuestLife } from './shared-guest.js';
import type { ProcessorUse } from './processor.js';

export interface WatchSpec {
  readonly guest: GuestLife;
  readonly allowance: Allowance;
  /** Processor time that it had used before it was anybody's, where that is known already. */
  readonly usedBlankMs?: number | undefined;
  readonly readUse: (pid: number) => ProcessorUse | undefined;
  /** Its own memory in MiB, where the system tells. */
  readonly readMemory: (pid: number) => number | undefined;
  /** Told after that was read. */
  readonly onWeighed: () => void;
  /** Whether its plugin may run while nobody calls it: then it neither rests nor ends. */
  readonly background: boolean;
  /** Whether this machine can stop a process and be sure that it does not outlive its host. */
  readonly canRest: boolean;
  /** From the last answer to the moment when it is stopped. */
  readonly restAfterMs: number;
  /** From the last answer to the moment when it is ended. */
  readonly endAfterMs: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

export interface Watch {
  /** Since when nobody waits for this guest; `undefined` while somebody does, or where it may run. */
  readonly idleSinceMs: number | undefined;
  /** Whether it may be ended once nobody waits for it. */
  readonly mayEnd: boolean;
  /** What it held of memory when it was weighed last, in MiB. */
  readonly memoryMb: number;
}

/** What a guest holds that was not weighed yet. */
const USUAL_MB = 14;

/** Between two looks at a guest that runs. What it can burn unseen is at most as much. */
const BEAT_MS = 250;

/** Between two weighings, while it runs: they cost more than a look. */
const WEIGH_MS = 1_000;

/**
 * Looks after a guest that holds a plugin, for as long as it lives:
 *
 * ```
 *              asked                      no call for restAfterMs
 *   ┌─────────────────────────► runs ─────────────────────────────► rests (SIGSTOP)
 *   │                            │ used more processor time than                │
 *   └──── asked (SIGCONT) ───┐   ▼ it may, or no call for endAfterMs            │
 *                            │  ended ◄─────────────────────────────────────────┘
 *                            └──────────────────────────────────────────────────┘
 * ```
 *
 * Nothing of it is on a call's way: it looks at what was asked since the last time.
 */
export function watchGuest(spec: WatchSpec): Watch {
  const { guest, allowance, background, now } = spec;
  let timer: NodeJS.Timeout | undefined;
  let busyMs = now();
  let memoryMb = USUAL_MB;
  let weighedMs = busyMs;
  // What it took to start a blank guest is not its plugin's doing.
  let seen = {
    asked: guest.asked,
    calls: guest.calls,
    usedMs: spec.usedBlankMs ?? spec.readUse(guest.pid)?.usedMs ?? 0,
  };

  const look = (): void => {
    const use = spec.readUse(guest.pid);
    const { asked, calls, peer } = guest;
    const usedMs = use?.usedMs ?? seen.usedMs;
    allowance.charge(now(), Math.max(0, usedMs - seen.usedMs), calls - seen.calls);
    if (peer.openRequests > 0 || asked !== seen.asked) busyMs = now();
    seen = { asked, calls, usedMs };
    if (now() - weighedMs >= WEIGH_MS) weigh();
  };
  const weigh = (): void => {
    weighedMs = now();
    memoryMb = spec.readMemory(guest.pid) ?? memoryMb;
    spec.onWeighed();
  };

  const beat = (): void => {
    if (!guest.alive) return;
    look();
    const { overdraft } = allowance;
    if (overdraft !== undefined) {
      allowance.clear();
      guest.kill({ cause: 'cpu', detail: overdraft });
      return;
    }
    const idleMs = now() - busyMs;
    if (background || guest.peer.openRequests > 0) lookAgain(BEAT_MS);
    else if (idleMs >= spec.endAfterMs) end();
    else if (spec.canRest && idleMs >= spec.restAfterMs) {
      weigh();
      guest.rest();
      lookAgain(spec.endAfterMs - idleMs);
    } else lookAgain(Math.min(BEAT_MS, spec.endAfterMs - idleMs));
  };

  const end = (): void =>
    guest.kill({ cause: 'idle', detail: `nobody called it for ${spec.endAfterMs} ms` });

  const lookAgain = (afterMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(beat, afterMs);
    // A guest that only waits is no reason to keep the host's process.
    timer.unref();
  };

  lookAgain(BEAT_MS);
  guest.onWake(() => {
    busyMs = now();
    lookAgain(BEAT_MS);
  });
  void guest.ended.then(() => clearTimeout(timer));

  return {
    get idleSinceMs() {
      return background || guest.peer.openRequests > 0 ? undefined : busyMs;
    },
    mayEnd: !background,
    get memoryMb() {
      return memoryMb;
    },
  };
}
