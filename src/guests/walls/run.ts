import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { closeDescriptors } from '../../inherited-descriptors.js';
import { kernelLimits } from '../command.js';
import { signalProcessGroup } from '../guest-process.js';
import { behindWalls } from './build.js';
import type { Machine, ProcessLimits } from './machine.js';
import { DEFAULT_WALLS } from './optional.js';

/** A program that an auditor runs behind the walls of a guest. */
export interface TrialProgram {
  /** Its absolute path, then its arguments. */
  readonly command: readonly string[];
  /** Further files and directories that it sees. A guest does not see them. */
  readonly show: readonly string[];
  /** The guest's script, which it sees, too. */
  readonly script: string;
  readonly limits: ProcessLimits;
  /** Ends the program when aborted. */
  readonly signal: AbortSignal;
}

export interface Streams {
  /** A terminal is not passed on: a guest has none. */
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/**
 * The path of a program that a command line names, by its path or by its name in `path`. Prefers one that
 * lies below a path of `shown`, also if a directory on the way to it is a link.
 */
export function findCommand(
  name: string,
  path: string,
  shown: readonly string[],
): string | undefined {
  const places = name.includes('/') ? [resolve(name)] : path.split(':').map((at) => join(at, name));
  const found = [...places, ...places.map(withoutLinkedDirectory)].filter((at) => existsSync(at));
  return (
    found.find((at) => shown.some((one) => at === one || at.startsWith(`${one}/`))) ?? found[0]
  );
}

function withoutLinkedDirectory(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}

/**
 * Runs a program behind exactly the walls of a guest, and returns its status: 128 and the signal if a
 * signal ended it. First closes what this process inherited: a guest's own code would close it there.
 */
export function runBehindWalls(
  machine: Machine,
  { command, show, script, limits, signal }: TrialProgram,
  { stdin, stdout, stderr }: Streams,
): Promise<number> {
  // guard: programs-inherit-no-descriptor
  closeDescriptors(machine.inheritable);
  const { file, args, env, filter } = behindWalls(machine, {
    program: command,
    limits: kernelLimits(machine, limits),
    use: DEFAULT_WALLS,
    visible: [script, ...show],
  });
  const child = spawn(file, args, {
    env,
    cwd: '/',
    detached: true,
    // Pipes: a guest cannot write to a file, also if this command's output is one.
    stdio: [
      stdin.isTTY === true ? 'ignore' : stdin,
      'pipe',
      'pipe',
      ...(filter === undefined ? [] : (['ignore', 'ignore', 'ignore', filter] as const)),
    ],
  });
  // Its launcher leads a group of its own, which no signal of a terminal reaches.
  const stop = (): void => signalProcessGroup(child, 'SIGKILL');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  child.stdout?.pipe(stdout, { end: false });
  child.stderr?.pipe(stderr, { end: false });
  return new Promise((settle, reject) => {
    child.on('error', reject);
    child.on('close', (code, ended) => {
      signal.removeEventListener('abort', stop);
      const status = code ?? 128 + (ended === null ? 0 : constants.signals[ended]);
      // The command exits with the status, and what was not yet written would be lost.
      void Promise.all([stdout, stderr].map(written)).then(() => settle(status));
    });
  });
}

/** Settles when all earlier writes are done, or when the stream has failed. */
function written(stream: Writable): Promise<void> {
  return new Promise((settle) => stream.write('', () => settle()));
}
