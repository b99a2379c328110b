import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { outputErrors } from '../cli/output-schema.js';
import { makeDirectory } from '../engine/plugin-on-disk.js';
import { afterEachFile } from '../tidying.js';
import type { Cell } from './cell.js';

const children: ChildProcess[] = [];
afterEachFile(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/**
 * A runner in a process of its own, started as an operator does. `machine` is its directory: what another process
 * left there stays. Its log is in the file `log` there.
 */
export async function startRunnerProcess(
  cell: Cell,
  name: string,
  {
    machine = makeDirectory(),
    words = [],
    nodeWords = [],
    env = {},
  }: {
    machine?: string;
    words?: readonly string[];
    /** Options of Node. */
    nodeWords?: readonly string[];
    env?: Readonly<Record<string, string>>;
  } = {},
): Promise<ChildProcess> {
  const lockFile = join(machine, 'bulkhead.lock.json');
  if (!existsSync(lockFile)) cpSync(cell.lockFile, lockFile);
  // The process writes it itself: it may outlive the directory.
  const log = openSync(join(machine, 'log'), 'a');
  const child = spawn(
    process.execPath,
    [
      ...nodeWords,
      join(ROOT, 'dist/lib/cli/main.cjs'),
      'runner',
      `--server=${cell.url}`,
      `--name=${name}`,
      `--lock=${lockFile}`,
      `--gateway-key=${cell.publicKey}`,
      `--state=${join(machine, 'state')}`,
      '--json',
      ...words,
    ],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', log] },
  );
  closeSync(log);
  children.push(child);
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const printed: unknown = JSON.parse(String(line));
  expect(printed).toEqual({ runner: name });
  expect(outputErrors('runner', printed)).toEqual([]);
  return child;
}
