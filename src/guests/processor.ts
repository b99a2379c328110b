import { readFileSync } from 'node:fs';

/** Linux counts processor time for its readers in hundredths of a second, whatever the machine. */
const TICK_MS = 10;

/** What a process did so far, as `/proc/PID/stat` has it. */
export interface ProcessorUse {
  /** Milliseconds of processor time, of all its threads, in the kernel and out of it. */
  readonly usedMs: number;
  /** Whether a signal has stopped it. */
  readonly stopped: boolean;
}

/** Looks at a process from outside. `undefined` where there is no such process, or no `/proc`. */
export function readProcessorUse(pid: number): ProcessorUse | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** The memory that is a process's own, in MiB. `undefined` where nobody tells. */
export function readMemory(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const kb = Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]);
    return Number.isInteger(kb) ? kb / 1024 : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the text of `/proc/PID/stat`; `undefined` where it is not one. */
export function parseStat(text: string): ProcessorUse | undefined {
  // The second field is the program's name in parentheses, which may itself hold both and blanks.
  const fields = text.slice(text.lastIndexOf(')') + 1).split(' ');
  const ticks = Number(fields[12]) + Number(fields[13]);
  if (!Number.isInteger(ticks)) return undefined;
  return { usedMs: ticks * TICK_MS, stopped: fields[1] === 'T' };
}
