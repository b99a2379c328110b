import { join } from 'node:path';
import { tellTail, withGoal } from './calls.js';
import { startFloor } from './floor.js';
import { compare, type Effort, type Measure } from './measure.js';
import { withDirectory } from './plugins-on-disk.js';
import { inTurns, time } from './statistics.js';
import { call, SMALL, startEngine } from './subject.js';

const WARM_UP = 3_000;

/**
 * Small calls where caller, host and guest share one core: the length of the path, without the time in
 * which another core wakes up. The caller of this sees to it that there is one core.
 */
export function measureOnOneCore({ calls, rounds, share }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const engine = await startEngine(1, { audit: { file: join(root, 'audit.jsonl') } });
    const floor = startFloor();
    const runs = {
      ours: () => call(engine, 'echo', SMALL),
      bare: () => floor.call(SMALL),
    };
    try {
      for (const run of Object.values(runs)) await time(WARM_UP, run);
      const { ours, bare } = await inTurns(rounds, {
        bare: () => time(calls, runs.bare),
        ours: () => time(calls, runs.ours),
      });
      const figures = compare(ours, bare, share);
      const work = 'one core: small, with the audit log, p50';
      const inMicroseconds = {
        ours: figures.ours * 1_000,
        floor: figures.floor * 1_000,
        ratio: figures.ratio,
      };
      return [
        withGoal({ work, unit: 'µs', ...inMicroseconds }, 1.4),
        withGoal(tellTail('one core: small, with the audit log', ours, bare), 2.5),
      ];
    } finally {
      floor.close();
      await engine.close();
    }
  });
}
