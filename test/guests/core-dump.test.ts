import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { kernelLimits } from '../../src/guests/command.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { behindWalls } from '../../src/guests/walls/build.js';
import type { Command } from '../../src/guests/walls/machine.js';
import { NO_WALLS, type WallPlan } from '../../src/guests/walls/plan.js';

const machine = await inspectMachine(guestScripts.confined());
const { perl, shell } = machine.tools;

/** A crash leaves a core only here: elsewhere the kernel gives it to a program. */
const leavesFiles =
  process.platform === 'linux' &&
  /^[^|/]/.test(readFileSync('/proc/sys/kernel/core_pattern', 'latin1'));

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Runs a program that crashes. Its directory is writable, and its host limits no core. */
async function crash(
  wall: (program: readonly string[]) => Command,
): Promise<{ readonly crashed: boolean; readonly files: readonly string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-core-'));
  directories.push(directory);
  chmodSync(directory, 0o777);
  const deed = `chdir '${directory}' or die; kill 'SEGV', $$; sleep 5`;
  const { file, args, env } = wall([perl ?? '', '-e', deed]);
  const child = spawn(shell ?? '', ['-c', 'ulimit -c unlimited && exec "$0" "$@"', file, ...args], {
    env,
    cwd: directory,
    stdio: 'ignore',
  });
  const [status, signal] = await once(child, 'exit');
  return { crashed: signal === 'SIGSEGV' || status === 128 + 11, files: readdirSync(directory) };
}

const openly = ([file = '', ...args]: readonly string[]): Command => ({ file, args, env: {} });

describe.runIf(leavesFiles && perl !== undefined && shell !== undefined)('a crash', () => {
  it('without walls leaves a core', async () => {
    const { crashed, files } = await crash(openly);
    expect({ crashed, files: files.length }).toEqual({ crashed: true, files: 1 });
  });

  // bubblewrap has the shell's limits, and always hides the directory.
  it.each(['perl', 'chain'] as const)(
    'behind no wall of %s but the limits leaves none',
    async (builder) => {
      const plan: WallPlan = { ...NO_WALLS, builder };
      const outcome = await crash((program) =>
        behindWalls(
          { ...machine, plan },
          {
            program,
            limits: kernelLimits(machine, { memoryMb: 64, cpuSeconds: 60 }),
            use: [],
            visible: [],
          },
        ),
      );
      expect(outcome).toEqual({ crashed: true, files: [] });
    },
  );
});
