import type { Effort, Measure } from './measure.js';
import { median } from './statistics.js';
import { call, SMALL, startEngine } from './subject.js';

const DEADLINE_MS = 100;
/** Long enough for the guest that loops to be gone. */
const GONE_MS = 200;
/** Long enough for the pool to have a guest again. */
const REFILLED_MS = 400;

/** A tool that never ends: the time until its caller gets an error, and until its plugin answers again. */
export async function measureKill({ starts }: Effort): Promise<Measure[]> {
  const engine = await startEngine(1);
  const loop = () => call(engine, 'loop', {}, DEADLINE_MS);
  const again = () => call(engine, 'echo', SMALL);
  const errors: number[] = [];
  const atOnce: number[] = [];
  const fromPool: number[] = [];
  try {
    for (let n = 0; n < starts; n += 1) {
      await again();
      await pause(REFILLED_MS);
      const began = performance.now();
      await loop();
      errors.push(performance.now() - began - DEADLINE_MS);
      await again();
      atOnce.push(performance.now() - began - DEADLINE_MS);

      await pause(REFILLED_MS);
      await loop();
      await pause(GONE_MS);
      const later = performance.now();
      await again();
      fromPool.push(performance.now() - later);
    }
  } finally {
    await engine.close();
  }
  const [error, next, pooled] = [median(errors), median(atOnce), median(fromPool)];
  return [
    line('kill: from the deadline to the error', error, '≤ 150 ms', 150),
    line('kill: from the deadline to a next result, asked for at once', next, '≤ 170 ms', 170),
    line('kill: the next call once its guest is gone', pooled, '≤ 20 ms', 20),
  ];
}

function line(work: string, ours: number, goal: string, most: number): Measure {
  return { work, unit: 'ms', ours, goal, met: ours <= most };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
