import type { Effort, Measure } from './measure.js';
import { fib, floors } from './plugins/echo/src/compute.js';
import { inTurns, quantile, time } from './statistics.js';
import { call, startEngine } from './subject.js';

const WORKS = {
  'fib(27)': { work: 'fib', once: () => fib(27) },
  '10⁶ × Math.floor': { work: 'floors', once: floors },
} as const;
/** Times that the work is done in one sample: what is measured is the work, and not the noise. */
const TIMES = 10;
const SAMPLES = 40;

/** The same function inside a tool and outside any sandbox. */
export async function measureCompute({ share }: Effort): Promise<Measure[]> {
  const engine = await startEngine(1);
  try {
    const measures: Measure[] = [];
    for (const [name, { work, once }] of Object.entries(WORKS)) {
      const inside = (times: number) => time(1, () => call(engine, 'compute', { work, times }));
      const outside = (): void => {
        for (let n = 0; n < TIMES; n += 1) once();
      };
      await inside(2 * TIMES);
      await time(2, outside);
      const { one, more, plain } = await inTurns(SAMPLES, {
        plain: () => time(1, outside),
        one: () => inside(1),
        more: () => inside(1 + TIMES),
      });
      // The difference is the work alone: a call that takes a while has its own time to come back.
      const ours = Math.max(0, quantile(more, share) - quantile(one, share)) / TIMES;
      const floor = quantile(plain, share) / TIMES;
      measures.push({
        work: `compute: ${name}`,
        unit: 'ms',
        ours,
        floor,
        ratio: ours / floor,
        goal: '≤ 1.05 × plain',
        met: ours <= 1.05 * floor,
      });
    }
    return measures;
  } finally {
    await engine.close();
  }
}
