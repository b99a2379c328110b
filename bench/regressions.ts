import { isRate, type Measure } from './measure.js';

/** How many times worse a ratio may be than it was written down: machines differ, and are noisy. */
export const SLACK = 1.6;

/** Ratios to the floor, by the work. */
export type Ratios = Readonly<Record<string, number>>;

/** How many times worse each ratio is than the one that was kept; what is not measured is worse without end. */
export function howMuchWorse(measures: readonly Measure[], kept: Ratios): Ratios {
  return Object.fromEntries(
    Object.entries(kept).map(([work, before]) => {
      const now = measures.find((measure) => measure.work === work);
      if (now?.ratio === undefined || !Number.isFinite(now.ratio)) return [work, Infinity];
      return [work, isRate(now.unit) ? before / now.ratio : now.ratio / before];
    }),
  );
}

/** For each work the mildest verdict of several attempts: noise makes worse, and never better. */
export function mildest(attempts: readonly Ratios[]): Ratios {
  const works = Object.keys(attempts[0] ?? {});
  return Object.fromEntries(
    works.map((work) => [work, Math.min(...attempts.map((one) => one[work] ?? Infinity))]),
  );
}

export function tooMuch(worse: Ratios): readonly string[] {
  return Object.keys(worse).filter((work) => (worse[work] ?? 0) > SLACK);
}
