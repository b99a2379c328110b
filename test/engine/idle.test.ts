import { describe, expect, it } from 'vitest';
import { readProcessorUse } from '../../src/processor.js';
import type { BulkheadEvent } from '../../src/index.js';
import { makePlugin, startEngine } from './plugin-on-disk.js';

// A clock of its own, since a plugin that was granted no time has none.
const source = `
let ticks = 0;
setInterval(() => { ticks += 1 }, 20);
const tool = (id, execute) =>
  ({ id, name: id, description: 'd', annotations: { readOnlyHint: true }, execute });
export const tools = [
  tool('ticks', () => ticks),
  tool('sleep', ({ ms }) => new Promise((resolve) => setTimeout(() => resolve(ticks), ms))),
];`;

const limits = { pool: 0, suspendAfterMs: 250, stopAfterMs: 60_000 };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function watchGuests(): {
  readonly onEvent: (event: BulkheadEvent) => void;
  readonly pids: number[];
  readonly ended: string[];
} {
  const pids: number[] = [];
  const ended: string[] = [];
  return {
    pids,
    ended,
    onEvent: (event) => {
      if (event.type === 'guest-started') pids.push(event.pid);
      if (event.type === 'guest-ended') ended.push(event.cause);
    },
  };
}

const isStopped = (pid: number | undefined): boolean =>
  readProcessorUse(pid ?? 0)?.stopped === true;

describe.runIf(process.platform === 'linux')('a plugin without calls', () => {
  it('is stopped, goes on with its next call, and fires what was due meanwhile once', async () => {
    const { pids, onEvent } = watchGuests();
    const engine = await startEngine([makePlugin({ source })], { limits, onEvent });
    await engine.call('ticks', {});
    await expect.poll(() => isStopped(pids[0]), { timeout: 10_000 }).toBe(true);
    const used = readProcessorUse(pids[0] ?? 0)?.usedMs;
    await pause(1_000);
    expect(readProcessorUse(pids[0] ?? 0)?.usedMs).toBe(used);
    const before = Number((await engine.call('ticks', {})).value);
    const after = Number((await engine.call('sleep', { ms: 1 })).value);
    // Fifty were due in the second that it was stopped.
    expect(after - before).toBeLessThan(20);
    expect(pids).toHaveLength(1);
  });

  it('is not stopped while a call of it is under way, however long that only waits', async () => {
    const { pids, onEvent } = watchGuests();
    const engine = await startEngine([makePlugin({ source })], { limits, onEvent });
    const call = engine.call('sleep', { ms: 1_500 });
    await expect.poll(() => pids.length, { timeout: 10_000 }).toBe(1);
    const over = new AbortController();
    void call.then(() => over.abort());
    let looks = 0;
    while (!over.signal.aborted) {
      expect(isStopped(pids[0])).toBe(false);
      looks += 1;
      await pause(100);
    }
    // More than once after the time for which a guest without a call runs on.
    expect(looks).toBeGreaterThan(4);
    expect(await call).toMatchObject({ isError: false });
  });

  it('is not suspended if its host allows it to run in the background', async () => {
    const { pids, onEvent } = watchGuests();
    const engine = await startEngine([makePlugin({ source })], {
      limits,
      onEvent,
      background: ['sample'],
    });
    const before = Number((await engine.call('ticks', {})).value);
    await pause(2_000);
    expect(isStopped(pids[0])).toBe(false);
    expect(Number((await engine.call('ticks', {})).value) - before).toBeGreaterThan(5);
  });

  it('is ended after a while, and the next call starts another', async () => {
    const { pids, ended, onEvent } = watchGuests();
    const engine = await startEngine([makePlugin({ source })], {
      limits: { ...limits, stopAfterMs: 700 },
      onEvent,
    });
    await engine.call('ticks', {});
    await expect.poll(() => ended, { timeout: 10_000 }).toContain('idle');
    expect(await engine.call('ticks', {})).toMatchObject({ isError: false });
    expect(pids.length).toBeGreaterThan(1);
    expect(ended).not.toContain('crash');
  });

  it('can be ended while it is stopped', async () => {
    const { pids, ended, onEvent } = watchGuests();
    const engine = await startEngine([makePlugin({ source })], { limits, onEvent });
    await engine.call('ticks', {});
    await expect.poll(() => isStopped(pids[0]), { timeout: 10_000 }).toBe(true);
    await engine.close();
    await expect.poll(() => ended, { timeout: 10_000 }).toEqual(['closed']);
    expect(readProcessorUse(pids[0] ?? 0)).toBeUndefined();
  });
});
