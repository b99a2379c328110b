import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Runs this on one processor, if the system can, and gives the others back. */
export async function onOneProcessor<Result>(
  run: () => Promise<Result>,
): Promise<Result | undefined> {
  const before = allowed();
  if (before === undefined || !stayOnOneProcessor()) return undefined;
  try {
    return await run();
  } finally {
    pin(before);
  }
}

/**
 * Pins this process, and all processes that it starts from now on, to one processor if the system can.
 * With two of them, how much of ours runs beside the caller depends on what else runs; on one, a
 * ratio to the floor is much the same on a quiet machine and on a busy one.
 */
export function stayOnOneProcessor(): boolean {
  // The last of those that this process may use.
  const last = /\d+$/.exec(allowed() ?? '')?.[0];
  return last !== undefined && pin(last);
}

/** The processors that this process may use: a list like `0-3,8`. */
function allowed(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return /Cpus_allowed_list:\s*(\S+)\n/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
}

function pin(list: string): boolean {
  const args = ['--all-tasks', '--cpu-list', '--pid', list, String(process.pid)];
  return spawnSync('taskset', args, { stdio: 'ignore' }).status === 0;
}
