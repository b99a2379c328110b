import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createEngine } from '../../src/index.js';
import { ROOT } from '../architecture/sources.js';

/** Milliseconds for which an attack may keep the host's event loop from everything else. */
export const MAX_BLOCKED_MS = 200;

/** Mebibytes by which an attack may make the host grow: some messages, and what waits for the collector. */
export const MAX_GROWTH_MB = 160;

const TICK_MS = 10;

/** Watches the event loop and the memory of this process, which is the host. */
export interface HostWatch {
  /** What was worst since the watch began. Ends the watch. */
  stop(): Promise<{ readonly blockedMs: number; readonly grownMb: number }>;
}

/**
 * A stretch counts as blocked as far as this process was at work in it: on a busy machine it also
 * waits for a processor, which no plugin of its own made it do.
 */
export async function watchHost(): Promise<HostWatch> {
  await (warmed ??= startFirstEngine());
  const startBytes = process.memoryUsage.rss();
  let blockedMs = 0;
  let grownMb = 0;
  let lastMs = performance.now();
  let lastCpu = process.cpuUsage();

  const tick = (): void => {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(lastCpu);
    const lateMs = nowMs - lastMs - TICK_MS;
    blockedMs = Math.max(blockedMs, Math.min(lateMs, (user + system) / 1000));
    grownMb = Math.max(grownMb, (process.memoryUsage.rss() - startBytes) / 1024 / 1024);
    lastMs = nowMs;
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(tick, TICK_MS);

  return {
    stop: async () => {
      // One more turn, so that a stretch under way is counted.
      await pause(TICK_MS + 1);
      tick();
      clearInterval(timer);
      return { blockedMs, grownMb };
    },
  };
}

let warmed: Promise<void> | undefined;

/** The first engine of a process reads and compiles most of its code, which no attack made it do. */
async function startFirstEngine(): Promise<void> {
  const plugins = [join(ROOT, 'fixtures/hostile/lives-on')];
  await using engine = await createEngine({ plugins, limits: { pool: 0 } });
  await engine.call('breathe', {});
}
