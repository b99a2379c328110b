import { loadavg } from 'node:os';
import { startFloor } from './floor.js';
import { quantile, time } from './statistics.js';
import { SMALL } from './subject.js';

/** The average number of processes that wanted to run in the last minute, before the bench began. */
const MAX_LOAD = 0.7;

/** How many times the slowest round of the floor may take what the fastest takes. */
const MAX_SPREAD = 1.5;
const ROUNDS = 7;
const CALLS = 1_000;

/** Why no goal can be judged on this machine now; `undefined` if it is quiet. */
export async function whyNotQuiet(): Promise<string | undefined> {
  const [load = 0] = loadavg();
  return judgeQuiet(load, await spreadOfFloor());
}

/** `load` is the average of a minute, `spread` that of the floor's rounds. */
export function judgeQuiet(load: number, spread: number): string | undefined {
  if (load > MAX_LOAD) {
    return `its load was ${load.toFixed(1)} before the start, and a quiet machine has at most ${MAX_LOAD}`;
  }
  if (spread > MAX_SPREAD) {
    return `the slowest round of the floor took ${spread.toFixed(1)} times the fastest, and at most ${MAX_SPREAD} is quiet`;
  }
  return undefined;
}

/** The slowest median of several rounds in relation to the fastest. */
export function spreadOf(rounds: readonly (readonly number[])[]): number {
  const medians = rounds.map((samples) => quantile(samples, 0.5));
  return Math.max(...medians) / Math.min(...medians);
}

async function spreadOfFloor(): Promise<number> {
  const floor = startFloor();
  try {
    await time(CALLS * 3, () => floor.call(SMALL));
    const rounds: number[][] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push(await time(CALLS, () => floor.call(SMALL)));
    return spreadOf(rounds);
  } finally {
    floor.close();
  }
}
