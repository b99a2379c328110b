import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guestCommand } from '../../src/guests/command.js';
import { findInnermost, signalProcessGroup } from '../../src/guests/guest-process.js';
import { startGuest } from '../../src/guests/guest.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { NO_WALLS } from '../../src/guests/walls/plan.js';
import { readProcessorUse } from '../../src/processor.js';
import { guestScripts } from '../../src/engine/node/process-defaults.js';

/** A killed process stays until its parent has asked how it ended. */
const PATIENT = { timeout: 10_000 };

let directory = '';
let waiter = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bulkhead-family-'));
  // A wrapper that stays, and waits for what it has started, as bwrap does.
  waiter = join(directory, 'waiter');
  writeFileSync(waiter, '#!/bin/sh\n"$@"\nexit $?\n');
  chmodSync(waiter, 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const start = (program: string, ...args: readonly string[]): ChildProcess =>
  spawn(program, args, { detached: true, stdio: 'ignore' });

const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

describe.runIf(process.platform === 'linux')('a process and what belongs to it', () => {
  it('is found at the end of those that wait for it', async () => {
    const child = start(waiter, waiter, '/bin/sleep', '60');
    const pid = child.pid ?? 0;
    await expect.poll(() => nameOf(findInnermost(pid)), PATIENT).toBe('sleep');
    const innermost = findInnermost(pid);
    expect(innermost).not.toBe(pid);
    expect(findInnermost(innermost)).toBe(innermost);
    signalProcessGroup(child, 'SIGKILL');
    await once(child, 'close');
    await expect.poll(() => readProcessorUse(innermost), PATIENT).toBeUndefined();
  });

  it('is stopped and continued as one', async () => {
    const child = start(waiter, '/bin/sleep', '60');
    const pid = child.pid ?? 0;
    await expect.poll(() => nameOf(findInnermost(pid)), PATIENT).toBe('sleep');
    const all = [pid, findInnermost(pid)];
    const stopped = (): boolean[] => all.map((one) => readProcessorUse(one)?.stopped === true);
    signalProcessGroup(child, 'SIGSTOP');
    await expect.poll(stopped, PATIENT).toEqual([true, true]);
    signalProcessGroup(child, 'SIGCONT');
    await expect.poll(stopped, PATIENT).toEqual([false, false]);
    signalProcessGroup(child, 'SIGKILL');
    await once(child, 'close');
  });

  it('gets no signal after it has ended', async () => {
    const child = start('/bin/true');
    await once(child, 'close');
    expect(signalProcessGroup(child, 'SIGKILL')).toBeUndefined();
  });
});

describe.runIf(process.platform === 'linux')('a guest in a wrapper that waits for it', () => {
  it('is the process that is watched, rests and is killed', async () => {
    const script = guestScripts.confined();
    const machine = { ...(await inspectMachine(script)), plan: NO_WALLS };
    const limits = { memoryMb: 64, cpuSeconds: 60 };
    const { file, args, env } = guestCommand(machine, limits, script, [script], []);
    const guest = startGuest({ file: waiter, args: [file, ...args], env }, 20_000);
    const wrapper = guest.pid;
    await guest.ready;
    expect(guest.pid).not.toBe(wrapper);
    expect(readProcessorUse(guest.pid)?.usedMs).toBeGreaterThan(0);
    guest.suspend();
    await expect.poll(() => readProcessorUse(guest.pid)?.stopped, PATIENT).toBe(true);
    guest.kill({ cause: 'closed', detail: '' });
    await guest.ended;
    await expect.poll(() => readProcessorUse(guest.pid), PATIENT).toBeUndefined();
  });
});
