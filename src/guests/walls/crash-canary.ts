import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Command } from './machine.js';

/** What a canary did: `done`, or the error that stopped it. A deed that was not tried is absent. */
export type Deeds = Readonly<Record<string, string>>;

/** The name of the deed. */
export const CRASH = 'leave a core';

/** A program of perl that crashes. */
export const CRASHING = "kill 'SEGV', $$; sleep 5";

const TRIAL_MS = 20_000;

/**
 * Crashes a program with and without walls, each in a writable directory of its own in `directory`, under a
 * shell that limits no core. Without a core of the second, nothing is shown: some machines give cores to a
 * program, or forbid them.
 */
export async function runCrashes(
  directory: string,
  shell: string,
  programs: { readonly walled: Command; readonly open: Command },
): Promise<{ readonly walled: Deeds; readonly open: Deeds }> {
  const [walled, open] = await Promise.all([
    crash(join(directory, 'walled-core'), shell, programs.walled),
    crash(join(directory, 'open-core'), shell, programs.open),
  ]);
  if (open !== 'done') return { walled: {}, open: {} };
  return { walled: walled === undefined ? {} : { [CRASH]: walled }, open: { [CRASH]: open } };
}

/** `undefined` if the program did not crash. */
async function crash(
  directory: string,
  shell: string,
  { file, args, env, filter }: Command,
): Promise<string | undefined> {
  await mkdir(directory);
  // The program may have another user.
  await chmod(directory, 0o777);
  const child = spawn(shell, ['-c', 'ulimit -c unlimited; exec "$0" "$@"', file, ...args], {
    env,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', filter ?? 'ignore'],
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
  });
  const crashed = await new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code, signal) =>
      resolve(signal === 'SIGSEGV' || code === 128 + constants.signals.SIGSEGV),
    );
  });
  if (!crashed) return undefined;
  return (await readdir(directory)).length > 0 ? 'done' : 'no core';
}
