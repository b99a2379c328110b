import { join } from 'node:path';
import type { Engine } from '../src/index.js';
import { timeEmptyNode } from './floor.js';
import { compare, type Effort, type Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { call, ECHO, SMALL, startEngine } from './subject.js';

/** Long enough for the pool to have a guest that has started. */
const FILLED_MS = 800;

/** First results, against what a Node process that does nothing needs to start and end. */
export function measureStarts(effort: Effort): Promise<Measure[]> {
  return withDirectory((root) => {
    const other = join(root, 'other');
    writeEcho(other, 'other');
    return measure(other, effort);
  });
}

async function measure(other: string, { starts, share }: Effort): Promise<Measure[]> {
  const empty: number[] = [];
  const cold: number[] = [];
  const warm: number[] = [];
  const whole: number[] = [];
  for (let n = 0; n < starts; n += 1) {
    empty.push(await timeEmptyNode());
    const began = performance.now();
    const engine = await startEngine(0);
    cold.push(await timeFirstCall(engine));
    whole.push(performance.now() - began);
    await engine.close();

    const pooled = await startEngine(1, { plugins: [ECHO, other] });
    // The pool begins with the first guest that is taken: another plugin's.
    await pooled.call('other:echo', {});
    await new Promise((resolve) => setTimeout(resolve, FILLED_MS));
    warm.push(await timeFirstCall(pooled));
    await pooled.close();
  }
  const [first, pooled] = [compare(cold, empty, share), compare(warm, empty, share)];
  return [
    {
      work: 'cold: from no guest to the first result',
      unit: 'ms',
      ...first,
      goal: '≤ 1.5 × an empty node + 30 ms',
      met: first.ours <= 1.5 * first.floor + 30,
    },
    {
      work: 'cold: from no engine to the first result',
      unit: 'ms',
      ...compare(whole, empty, share),
    },
    {
      work: 'warm: from a pooled guest to the first result',
      unit: 'ms',
      ...pooled,
      goal: '≤ 5 ms',
      met: pooled.ours <= 5,
    },
  ];
}

async function timeFirstCall(engine: Engine): Promise<number> {
  const began = performance.now();
  await call(engine, 'echo', SMALL);
  return performance.now() - began;
}
