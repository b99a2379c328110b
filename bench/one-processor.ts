import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Pins this process, and all processes that it starts from now on, to one processor if the system can.
 * With two of them, how much of ours runs beside the caller depends on what else runs; on one, a
 * ratio to the floor is much the same on a quiet machine and on a busy one.
 */
export function stayOnOneProcessor(): boolean {
  if (process.platform !== 'linux') return false;
  // A list like `0-3,8`: the last of those that this process may use.
  const status = readFileSync('/proc/self/status', 'utf8');
  const last = /Cpus_allowed_list:.*?(\d+)\n/.exec(status)?.[1];
  if (last === undefined) return false;
  const args = ['--all-tasks', '--cpu-list', '--pid', last, String(process.pid)];
  return spawnSync('taskset', args, { stdio: 'ignore' }).status === 0;
}
