import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findInnermost } from '../src/guests/guest-process.js';

/** The private memory of a process, in kB. */
export function privateDirtyKb(pid: number | 'self'): number {
  return field(`/proc/${innermost(pid)}/smaps_rollup`, 'Private_Dirty');
}

/** Returns a function for the kilobytes by which the peak of a process has since exceeded its current size. */
export function watchPeak(pid: number | 'self'): () => number {
  const own = innermost(pid);
  const before = field(`/proc/${own}/status`, 'VmRSS');
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, field(`/proc/${own}/status`, 'VmRSS'));
  }, 5);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** The event of a guest's start names the first process of its group, which may be a wrapper. */
function innermost(pid: number | 'self'): number | 'self' {
  return pid === 'self' ? pid : findInnermost(pid);
}

function field(file: string, name: string): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(file, 'utf8'))?.[1]);
}
