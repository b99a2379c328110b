import { compare, type Effort, type Measure } from './measure.js';
import { fib, floors } from './plugins/echo/src/compute.js';
import { inTurns, quantile, time } from './statistics.js';
import { call, SMALL, startEngine } from './subject.js';

const WORKS = { 'fib(27)': () => fib(27), '10⁶ × Math.floor': floors };
const TIMES = 10;

/** The same function inside a tool and outside any sandbox, the way there and back taken off. */
export async function measureCompute({ rounds, share }: Effort): Promise<Measure[]> {
  const engine = await startEngine(1);
  try {
    const measures: Measure[] = [];
    for (const [name, plain] of Object.entries(WORKS)) {
      const work = name.startsWith('fib') ? 'fib' : 'floors';
      const run = () => call(engine, 'compute', { work });
      for (const each of [run, plain]) await time(20, each);
      const { trip, inside, outside } = await inTurns(rounds, {
        trip: () => time(TIMES, () => call(engine, 'echo', SMALL)),
        inside: () => time(TIMES, run),
        outside: () => time(TIMES, plain),
      });
      const way = quantile(trip, share);
      const figures = compare(
        inside.map((took) => took - way),
        outside,
        share,
      );
      measures.push({
        work: `compute: ${name}`,
        unit: 'ms',
        ...figures,
        goal: '≤ 1.05 × plain',
        met: figures.ratio <= 1.05,
      });
    }
    return measures;
  } finally {
    await engine.close();
  }
}
