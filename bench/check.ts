import { readFileSync, writeFileSync } from 'node:fs';
import { CHECK, type Measure } from './measure.js';
import { stayOnOneProcessor } from './one-processor.js';
import { howMuchWorse, mildest, type Ratios, regressionsOf, SLACK } from './regressions.js';
import { median } from './statistics.js';
import { compared, type Work, works } from './works.js';

/** The ratios of each kind of work in an earlier run. */
interface Baseline {
  /** The Node version of that run. */
  readonly node: string;
  readonly works: Readonly<Record<string, Ratios>>;
}

const BASELINE = new URL('baseline.json', import.meta.url);
const ATTEMPTS = 3;
const BASELINE_RUNS = 3;

/** Compares the ratios to the floor with the baseline. Milliseconds are not compared. */
export async function check(): Promise<0 | 1> {
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline;
  const where = stayOnOneProcessor() ? ' on one processor' : '';
  console.log(
    `Ratios to the floor${where}. A ratio more than ${SLACK} × worse than the baseline fails.\n`,
  );
  console.log(`${''.padEnd(58)} ${'now'.padStart(7)} ${'before'.padStart(7)}`);
  const worse: string[] = [];
  for (const name of compared) worse.push(...(await attempt(works[name], baseline.works[name])));
  if (worse.length === 0) console.log('\nNo ratio is worse than the baseline.');
  else console.log(`\nWorse than the baseline, in each of ${ATTEMPTS} attempts:\n${indent(worse)}`);
  return worse.length === 0 ? 0 : 1;
}

/** Measures again while a ratio is worse than the baseline. Returns the ratios that were worse each time. */
async function attempt(work: Work, baseline: Ratios = {}): Promise<readonly string[]> {
  const attempts: Ratios[] = [];
  let worse: readonly string[] = [];
  do {
    const measures = await work(CHECK);
    attempts.push(howMuchWorse(measures, baseline));
    worse = regressionsOf(mildest(attempts));
    print(measures, baseline, worse);
  } while (worse.length > 0 && attempts.length < ATTEMPTS);
  return worse;
}

/** Writes this machine's ratios, as medians of several runs, as the baseline of later runs. */
export async function writeBaseline(): Promise<void> {
  stayOnOneProcessor();
  const ratios: Record<string, Ratios> = {};
  for (const name of compared) {
    const runs: (readonly Measure[])[] = [];
    for (let n = 0; n < BASELINE_RUNS; n += 1) runs.push(await works[name](CHECK));
    ratios[name] = Object.fromEntries(
      (runs[0] ?? []).flatMap(({ work, ratio }) => {
        if (ratio === undefined) return [];
        const measured = runs.map((run) => run.find((one) => one.work === work)?.ratio ?? Infinity);
        return [[work, Number(median(measured).toPrecision(3))]];
      }),
    );
    print(runs.at(-1) ?? [], ratios[name] ?? {}, []);
  }
  const baseline: Baseline = { node: process.versions.node, works: ratios };
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`);
}

function print(measures: readonly Measure[], baseline: Ratios, worse: readonly string[]): void {
  for (const { work, ratio } of measures) {
    if (ratio === undefined) continue;
    const before = baseline[work] === undefined ? 'new' : formatRatio(baseline[work]);
    const verdict = worse.includes(work) ? 'worse' : '';
    console.log(
      `${work.padEnd(58)} ${formatRatio(ratio).padStart(7)} ${before.padStart(7)}  ${verdict}`.trimEnd(),
    );
  }
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function formatRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2);
}
