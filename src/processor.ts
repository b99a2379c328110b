import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second on every machine. */
const TICK_MS = 10;

/** A process's use so far, from `/proc/PID/stat`. */
export interface ProcessorUse {
  /** Milliseconds of processor time of all threads, in user and kernel mode. */
  readonly usedMs: number;
  /** Whether a signal has stopped it. */
  readonly stopped: boolean;
}

/** `undefined` if there is no such process, or no `/proc`. */
export function readProcessorUse(pid: number): ProcessorUse | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Processor time without a pause that shows that a thread computes, and does not merely handle an event. */
const BUSY_MS = 20;

/** On a busy machine a thread may not get `BUSY_MS` in a long time. */
const MAX_WATCH_MS = 300;
const WATCH_STEP_MS = 10;

/** How much of that time a thread that computes is ready to run, at least. */
const BUSY_SHARE = 0.7;

/**
 * Whether the process's main thread computes: it is stopped because it used too much, or it is ready to run
 * now and for most of the time in which it gets 20 ms more of a processor. A thread that waits may be caught
 * in one of its events. Answers at once for a thread that sleeps, within 300 ms for others. `undefined` if
 * there is no such process, or no `/proc`.
 */
export async function isComputing(
  pid: number,
  read: (pid: number) => MainThread | undefined = readMainThread,
): Promise<boolean | undefined> {
  const before = read(pid);
  if (before?.state !== 'R') return before && before.state === 'T';
  const beganMs = performance.now();
  for (let asleep = 0; asleep < 2;) {
    await new Promise((resolve) => setTimeout(resolve, WATCH_STEP_MS));
    const now = read(pid);
    if (now === undefined) return undefined;
    const elapsedMs = performance.now() - beganMs;
    const ranMs = now.ranMs - before.ranMs;
    if (ranMs >= BUSY_MS || elapsedMs >= MAX_WATCH_MS) {
      return ranMs + now.waitedMs - before.waitedMs >= elapsedMs * BUSY_SHARE;
    }
    // A thread that collects garbage waits for its helpers now and then.
    asleep = now.state === 'R' || now.state === 'T' ? 0 : asleep + 1;
  }
  return false;
}

/** A process's main thread, from `/proc`. */
export interface MainThread {
  /** `R`: it has a processor or is ready to run; `T`: a signal has stopped it; else it sleeps. */
  readonly state: string;
  /** Milliseconds in which it had a processor. */
  readonly ranMs: number;
  /** Milliseconds in which it was ready to run and had no processor. */
  readonly waitedMs: number;
}

/** `undefined` if there is no such process, or the system does not report it. */
export function readMainThread(pid: number): MainThread | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [ranNs, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    const thread = {
      state: text.slice(text.lastIndexOf(')') + 2)[0] ?? '',
      ranMs: Number(ranNs) / 1e6,
      waitedMs: Number(waitedNs) / 1e6,
    };
    return Number.isFinite(thread.ranMs + thread.waitedMs) ? thread : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Milliseconds of processor time of a process and its living descendants. `undefined` if there is no
 * such process, or no `/proc`.
 */
export function readTreeUse(pid: number): number | undefined {
  const own = readProcessorUse(pid);
  if (own === undefined) return undefined;
  return childrenOf(pid).reduce((sum, child) => sum + (readTreeUse(child) ?? 0), own.usedMs);
}

/** Each thread has a list of the processes that it started. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1')
        .split(' ')
        .filter((text) => text !== '')
        .map(Number),
    );
  } catch {
    // It ended, or the system does not list them.
    return [];
  }
}

/** The process's own memory in MiB. `undefined` if the system does not report it. */
export function readMemory(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kb = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
    return Number.isInteger(kb) ? kb / 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Parses `/proc/PID/stat`; `undefined` for other text. */
export function parseStat(text: string): ProcessorUse | undefined {
  // The second field is the program's name in parentheses. It may contain parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 1).split(' ');
  const ticks = Number(fields[12]) + Number(fields[13]);
  if (!Number.isInteger(ticks)) return undefined;
  return { usedMs: ticks * TICK_MS, stopped: fields[1] === 'T' };
}
