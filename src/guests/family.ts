import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Sends a signal to a process that leads a group of its own, and to all that belong to it: what it
 * was wrapped in, and what it may have started itself.
 */
export function signalFamily(child: ChildProcess, signal: NodeJS.Signals): void {
  // The number of one that is gone may be another's by now.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

/** The last of a line of processes, each of which only waits for the one that it started. */
export function findInnermost(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ');
    const only = children.length === 1 ? Number(children[0]) : 0;
    return only > 0 ? findInnermost(only) : pid;
  } catch {
    return pid;
  }
}
