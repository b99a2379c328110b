import { readFileSync, writeFileSync } from 'node:fs';
import type { Measure } from './subject.js';

const BASELINE = new URL('baseline.json', import.meta.url);

/** How much worse a ratio may be than it was written down: machines are noisy. */
const SLACK = 1.6;

/** Writes down the ratios of a run, for later runs to be compared with. */
export function keepRatios(measures: readonly Measure[]): void {
  const ratios = Object.fromEntries(
    measures.flatMap(({ work, ratio }) => (ratio === undefined ? [] : [[work, round(ratio)]])),
  );
  writeFileSync(BASELINE, `${JSON.stringify(ratios, null, 2)}\n`);
}

/** The works whose ratio to the floor is worse than it was, and how. Milliseconds are not compared. */
export function findRegressions(measures: readonly Measure[]): string[] {
  const kept: Readonly<Record<string, number>> = JSON.parse(readFileSync(BASELINE, 'utf8'));
  return measures.flatMap(({ work, ratio, goal }) => {
    const before = kept[work];
    if (ratio === undefined || before === undefined || !/^[≤≥]/.test(goal)) return [];
    const worse = goal.startsWith('≥') ? before / ratio : ratio / before;
    return worse <= SLACK ? [] : [`${work}: ${round(ratio)}, and was ${before}`];
  });
}

function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}
