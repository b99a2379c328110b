import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  isComputing,
  type MainThread,
  parseStat,
  readMainThread,
  readProcessorUse,
  readTreeUse,
} from '../src/processor.js';

const stat = (name: string, state = 'S'): string =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194304 900 0 0 0 120 30 7 8 20 0 11 0 472143 1 2`;

describe('the processor time reader', () => {
  it('adds the time in the kernel and outside of it', () => {
    expect(parseStat(stat('node'))).toEqual({ usedMs: 1_500, stopped: false });
  });

  it('does not mistake a program’s name for the fields after it', () => {
    const named = parseStat(stat('a) T 1 1 1 1 1 1 1 1 1 1 9999 9999 ('));
    expect(named).toEqual({ usedMs: 1_500, stopped: false });
  });

  it('distinguishes a stopped process from a waiting one', () => {
    expect(parseStat(stat('node', 'T'))?.stopped).toBe(true);
  });

  it('returns undefined for another kind of file', () => {
    expect(parseStat('')).toBeUndefined();
    expect(readProcessorUse(-1)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('sees this process use time as it computes', () => {
    const before = readProcessorUse(process.pid)?.usedMs ?? NaN;
    const began = process.cpuUsage();
    for (let spent = 0; spent < 200_000;) {
      const { user, system } = process.cpuUsage(began);
      spent = user + system;
    }
    expect((readProcessorUse(process.pid)?.usedMs ?? NaN) - before).toBeGreaterThanOrEqual(150);
  });

  it.runIf(process.platform === 'linux')('adds the use of descendants', async () => {
    // Processor time, not time: other processes may have the processors.
    const busy = `for (let spent = 0; spent < 200_000; ) { const { user, system } = process.cpuUsage(); spent = user + system; } console.log('done'); setInterval(() => {}, 1e3);`;
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('node:child_process').spawn(process.execPath, ['-e', process.argv[1]], { stdio: 'inherit' })`,
        busy,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
    );
    const { pid = 0 } = child;
    try {
      await once(child.stdout, 'data');
      const own = readProcessorUse(pid)?.usedMs ?? NaN;
      expect((readTreeUse(pid) ?? NaN) - own).toBeGreaterThanOrEqual(100);
      expect(readTreeUse(-1)).toBeUndefined();
    } finally {
      process.kill(-pid, 'SIGKILL');
    }
  });
});

describe('a process', () => {
  afterEach(() => void vi.useRealTimers());

  /** `shares`: how much of each 10 ms the thread had a processor, and how much it waited for one. */
  async function watch(shares: readonly (readonly [ran: number, waited: number])[], first = 'R') {
    vi.useFakeTimers();
    let thread: MainThread = { state: first, ranMs: 500, waitedMs: 20 };
    let step = -1;
    const computes = isComputing(1, () => {
      const [ran, waited] = shares[step++ % shares.length] ?? [0, 0];
      if (step > 0) {
        const state = ran + waited > 0 ? 'R' : 'S';
        thread = { state, ranMs: thread.ranMs + ran, waitedMs: thread.waitedMs + waited };
      }
      return thread;
    });
    await vi.advanceTimersByTimeAsync(1_000);
    return computes;
  }

  it('computes if it is in a loop, however busy the machine is', async () => {
    expect(await watch([[10, 0]])).toBe(true);
    expect(await watch([[1, 9]])).toBe(true);
    expect(
      await watch([
        [0, 0],
        [10, 0],
        [8, 2],
        [10, 0],
      ]),
    ).toBe(true);
  });

  it('does not compute because it is caught in one of its events', async () => {
    expect(
      await watch([
        [1, 0],
        [0, 0],
        [0, 0],
      ]),
    ).toBe(false);
    expect(
      await watch([
        [2, 1],
        [0, 0],
      ]),
    ).toBe(false);
    expect(
      await watch([
        [2, 8],
        [0, 0],
      ]),
    ).toBe(false);
  });

  it('computes if it is stopped because it used too much, and waits if it sleeps', async () => {
    expect(await watch([], 'T')).toBe(true);
    expect(await watch([], 'S')).toBe(false);
  });

  it.runIf(process.platform === 'linux')('that runs is read from the system', async () => {
    const child = spawn(process.execPath, ['-e', `console.log('ready'); for (;;);`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      expect(await isComputing(child.pid ?? -1)).toBe(true);
    } finally {
      child.kill('SIGKILL');
    }
    expect(await isComputing(2 ** 30)).toBeUndefined();
    expect(readMainThread(process.pid)?.waitedMs).toBeGreaterThanOrEqual(0);
  });
});
