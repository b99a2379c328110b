import { isRate, type Measure } from './measure.js';

/** How many times worse than the baseline a ratio may be: machines differ, and are noisy. */
export const SLACK = 1.6;

/** Ratios to the floor, by the work. */
export type Ratios = Readonly<Record<string, number>>;

/** How many times worse each ratio is than the baseline. A missing ratio is infinitely worse. */
export function howMuchWorse(measures: readonly Measure[], baseline: Ratios): Ratios {
  return Object.fromEntries(
    Object.entries(baseline).map(([work, before]) => {
      const now = measures.find((measure) => measure.work === work);
      if (now?.ratio === undefined || !Number.isFinite(now.ratio)) return [work, Infinity];
      return [work, isRate(now.unit) ? before / now.ratio : now.ratio / before];
    }),
  );
}

/** The mildest result of several attempts, for each work: noise makes a ratio worse, never better. */
export function mildest(attempts: readonly Ratios[]): Ratios {
  const works = Object.keys(attempts[0] ?? {});
  return Object.fromEntries(
    works.map((work) => [work, Math.min(...attempts.map((one) => one[work] ?? Infinity))]),
  );
}

/** The works that are worse than the slack allows. */
export function regressionsOf(worse: Ratios): readonly string[] {
  return Object.keys(worse).filter((work) => (worse[work] ?? 0) > SLACK);
}
