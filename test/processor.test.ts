import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { parseStat, readProcessorUse, readTreeUse } from '../src/processor.js';

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
