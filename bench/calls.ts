import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFloor } from './floor.js';
import { compare, type Effort, type Measure } from './measure.js';
import { inTurns, time, timeInFlight } from './statistics.js';
import { BIG, call, SMALL, startEngine } from './subject.js';

/** Before anything counts, as many calls of each as V8 needs to have made up its mind. */
const WARM_UP = 3_000;
const IN_FLIGHT = 100;

/**
 * Calls against the same bytes echoed over a bare pipe: as an engine is by default, and with the audit
 * log besides, which is what everything on means.
 */
export async function measureCalls({ calls, rounds, share }: Effort): Promise<Measure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-bench-'));
  const engine = await startEngine(1);
  const audited = await startEngine(1, { audit: { file: join(directory, 'audit.jsonl') } });
  const floor = startFloor();
  const ours = () => call(engine, 'echo', SMALL);
  const logged = () => call(audited, 'echo', SMALL);
  const bare = () => floor.call(SMALL);
  const oursBig = () => call(engine, 'echo', BIG);
  const bareBig = () => floor.call(BIG);
  try {
    for (const run of [ours, logged, bare]) await time(WARM_UP, run);
    for (const run of [oursBig, bareBig]) await time(WARM_UP / 30, run);
    for (const run of [ours, logged, bare]) await timeInFlight(WARM_UP, IN_FLIGHT, run);

    const bigs = Math.ceil(calls / 5);
    const { small, smallLogged, smallBare, big, bigBare } = await inTurns(rounds, {
      smallBare: () => time(calls, bare),
      small: () => time(calls, ours),
      smallLogged: () => time(calls, logged),
      bigBare: () => time(bigs, bareBig),
      big: () => time(bigs, oursBig),
    });
    // Shorter turns, and more of them: nothing but throughput is measured here.
    const { flight, flightLogged, flightBare } = await inTurns(rounds * 2, {
      flightBare: async () => [await timeInFlight(calls * 5, IN_FLIGHT, bare)],
      flight: async () => [await timeInFlight(calls * 5, IN_FLIGHT, ours)],
      flightLogged: async () => [await timeInFlight(calls * 5, IN_FLIGHT, logged)],
    });
    const named = `p${share * 100}`;
    const one = compare(small, smallBare, share);
    const everything = compare(smallLogged, smallBare, share);
    const large = compare(big, bigBare, share);
    const piped = asRates(compare(flight, flightBare, share));
    const pipedLogged = asRates(compare(flightLogged, flightBare, share));
    return [
      {
        work: `small, sequential, ${named}`,
        unit: 'µs',
        ...inMicroseconds(one),
        goal: '≤ 1.6 × floor',
        met: one.ratio <= 1.6,
      },
      ...(share === 0.5 ? [tellTail('small', small, smallBare)] : []),
      {
        work: `small, sequential, with the audit log, ${named}`,
        unit: 'µs',
        ...inMicroseconds(everything),
        goal: '≤ 1.2 × floor',
        met: everything.ratio <= 1.2,
      },
      ...(share === 0.5
        ? [withGoal(tellTail('small, with the audit log', smallLogged, smallBare), 1.8)]
        : []),
      {
        work: `big, sequential, ${named}`,
        unit: 'µs',
        ...inMicroseconds(large),
        goal: '≤ 1.3 × floor',
        met: large.ratio <= 1.3,
      },
      ...(share === 0.5 ? [tellTail('big', big, bigBare)] : []),
      {
        work: `small, ${IN_FLIGHT} in flight`,
        unit: 'calls/s',
        ...piped,
        goal: '≥ 0.5 × floor',
        met: piped.ratio >= 0.5,
      },
      {
        work: `small, ${IN_FLIGHT} in flight, with the audit log`,
        unit: 'calls/s',
        ...pipedLogged,
        goal: '≥ 0.5 × floor',
        met: pipedLogged.ratio >= 0.5,
      },
    ];
  } finally {
    floor.close();
    await Promise.all([engine.close(), audited.close()]);
    rmSync(directory, { recursive: true });
  }
}

/** What one call in a hundred takes at the least: a medley of everything that the machine does. */
/** Judges a ratio to the floor. */
export function withGoal(measure: Measure, most: number): Measure {
  const { ratio = Infinity } = measure;
  return { ...measure, goal: `≤ ${most} × floor`, met: ratio <= most };
}

export function tellTail(name: string, ours: readonly number[], floor: readonly number[]): Measure {
  const figures = inMicroseconds(compare(ours, floor, 0.99));
  return { work: `${name}, sequential, p99`, unit: 'µs', ...figures };
}

interface Figures {
  readonly ours: number;
  readonly floor: number;
  readonly ratio: number;
}

function inMicroseconds({ ours, floor, ratio }: Figures): Figures {
  return { ours: ours * 1000, floor: floor * 1000, ratio };
}

function asRates({ ours, floor, ratio }: Figures): Figures {
  return { ours: 1000 / ours, floor: 1000 / floor, ratio: 1 / ratio };
}
