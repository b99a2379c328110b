import type { Engine } from '../src/index.js';
import { timeEmptyNode } from './floor.js';
import { median } from './statistics.js';
import { call, type Effort, type Measure, SMALL, startEngine } from './subject.js';

export async function measureStarts({ starts }: Effort): Promise<Measure[]> {
  const empty: number[] = [];
  const cold: number[] = [];
  const warm: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    empty.push(await timeEmptyNode());
    cold.push(await timeFirstCall(await startEngine(0)));
    const pooled = await startEngine(1);
    // Its first guest is killed in a loop; the next call's comes from the pool, filled meanwhile.
    await pooled.call('echo:loop', {}, { timeoutMs: 300 });
    await new Promise((resolve) => setTimeout(resolve, 400));
    warm.push(await timeFirstCall(pooled));
  }
  const allowed = 1.5 * median(empty) + 30;
  return [
    {
      work: 'cold: from nothing to the first result',
      unit: 'ms',
      ours: median(cold),
      floor: median(empty),
      goal: '≤ 1.5 × an empty node + 30 ms',
      met: median(cold) <= allowed,
    },
    {
      work: 'warm: from a pooled guest to the first result',
      unit: 'ms',
      ours: median(warm),
      goal: '≤ 5 ms',
      met: median(warm) <= 5,
    },
  ];
}

async function timeFirstCall(engine: Engine): Promise<number> {
  const began = performance.now();
  await call(engine, 'echo', SMALL);
  const took = performance.now() - began;
  await engine.close();
  return took;
}
