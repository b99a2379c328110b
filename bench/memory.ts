import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What nobody else uses of a process's memory, in kB. */
export function privateDirtyKb(pid: number | 'self'): number {
  return field(`/proc/${pid}/smaps_rollup`, 'Private_Dirty');
}

/** The processes below this one, however far. */
export function findDescendants(): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === process.pid || isBelow(parents.get(pid)));
  return [...parents.keys()].filter((pid) => isBelow(pid));
}

/** Kilobytes by which a process has been larger since than it is now, told when asked. */
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

/** Its line is `pid (name) state parent …`, and a name may hold anything. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
