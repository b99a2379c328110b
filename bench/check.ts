import { readFileSync, writeFileSync } from 'node:fs';
import { CHECK, type Measure } from './measure.js';
import { stayOnOneProcessor } from './one-processor.js';
import { howMuchWorse, mildest, type Ratios, SLACK, tooMuch } from './regressions.js';
import { median } from './statistics.js';
import { compared, type Work, works } from './works.js';

/** The ratios of each kind of work, as they were when they were written down. */
interface Baseline {
  /** The Node that they were measured on. */
  readonly node: string;
  readonly works: Readonly<Record<string, Ratios>>;
}

const BASELINE = new URL('baseline.json', import.meta.url);
const ATTEMPTS = 3;
const KEPT_RUNS = 3;

/** Holds the ratios to the floor against those written down; milliseconds are not compared. */
export async function check(): Promise<0 | 1> {
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline;
  const where = stayOnOneProcessor() ? ' on one processor' : '';
  console.log(`Ratios to the floor${where}; more than ${SLACK} × as bad as it was fails.\n`);
  console.log(`${''.padEnd(58)} ${'now'.padStart(7)} ${'was'.padStart(7)}`);
  const worse: string[] = [];
  for (const name of compared) worse.push(...(await attempt(works[name], baseline.works[name])));
  if (worse.length === 0) console.log('\nNo ratio is worse than it was.');
  else console.log(`\nWorse than it was, in each of ${ATTEMPTS} attempts:\n${indent(worse)}`);
  return worse.length === 0 ? 0 : 1;
}

/** Measures again while something is worse than it was, and returns what was so each time. */
async function attempt(work: Work, kept: Ratios = {}): Promise<readonly string[]> {
  const attempts: Ratios[] = [];
  let worse: readonly string[] = [];
  do {
    const measures = await work(CHECK);
    attempts.push(howMuchWorse(measures, kept));
    worse = tooMuch(mildest(attempts));
    tell(measures, kept, worse);
  } while (worse.length > 0 && attempts.length < ATTEMPTS);
  return worse;
}

/** Writes down the ratios of this machine, medians of some runs, for later runs to be held against. */
export async function keepRatios(): Promise<void> {
  stayOnOneProcessor();
  const kept: Record<string, Ratios> = {};
  for (const name of compared) {
    const runs: (readonly Measure[])[] = [];
    for (let n = 0; n < KEPT_RUNS; n += 1) runs.push(await works[name](CHECK));
    kept[name] = Object.fromEntries(
      (runs[0] ?? []).flatMap(({ work, ratio }) => {
        if (ratio === undefined) return [];
        const ratios = runs.map((run) => run.find((one) => one.work === work)?.ratio ?? Infinity);
        return [[work, Number(median(ratios).toPrecision(3))]];
      }),
    );
    tell(runs.at(-1) ?? [], kept[name] ?? {}, []);
  }
  const baseline: Baseline = { node: process.versions.node, works: kept };
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`);
}

function tell(measures: readonly Measure[], kept: Ratios, worse: readonly string[]): void {
  for (const { work, ratio } of measures) {
    if (ratio === undefined) continue;
    const before = kept[work] === undefined ? 'new' : tellRatio(kept[work]);
    const verdict = worse.includes(work) ? 'worse' : '';
    console.log(
      `${work.padEnd(58)} ${tellRatio(ratio).padStart(7)} ${before.padStart(7)}  ${verdict}`.trimEnd(),
    );
  }
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function tellRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}
