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

/**
 * Whether the process's main thread computes: it runs, or is stopped because it used too much. Otherwise it
 * waits. `undefined` if there is no such process, or no `/proc`.
 */
export function isComputing(pid: number): boolean | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^ [RT] /.test(text.slice(text.lastIndexOf(')') + 1));
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
