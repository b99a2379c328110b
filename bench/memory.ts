import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The private memory of a process, in kB. */
export function privateDirtyKb(pid: number | 'self'): number {
  return field(`/proc/${pid}/smaps_rollup`, 'Private_Dirty');
}

/** Returns a function for the kilobytes by which the peak of a process has since exceeded its current size. */
export function watchPeak(pid: number | 'self'): () => number {
  const before = field(`/proc/${pid}/status`, 'VmRSS');
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, field(`/proc/${pid}/status`, 'VmRSS'));
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

function field(file: string, name: string): number {
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(file, 'utf8'))?.[1]);
}
