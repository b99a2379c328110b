import { quantile } from './statistics.js';

/** One line of the table: our figure, the floor's in the same run, and the goal for both. */
export interface Measure {
  readonly work: string;
  readonly unit: Unit;
  readonly ours: number;
  readonly floor?: number;
  /** Ours in relation to the floor. */
  readonly ratio?: number;
  /** Absent on a line that only informs. */
  readonly goal?: string;
  /** Absent if there is no goal, or no figure to judge. */
  readonly met?: boolean;
  /** Why there are no figures. */
  readonly missing?: string;
}

export type Unit = 'µs' | 'ms' | 'calls/s' | 'kB' | 'MB/s' | 'MB' | 'tokens' | 'requests';

/** How much is done for a figure. */
export interface Effort {
  /** Sequential calls in each round. */
  readonly calls: number;
  /** Rounds in which ours and the floor take turns. */
  readonly rounds: number;
  /** Chains of hooks that are run of each kind. */
  readonly chains: number;
  /** Starts that are measured. */
  readonly starts: number;
  /** Sizes of the engines that are started, in installed plugins. */
  readonly installed: readonly [number, number, ...number[]];
  /** The share of the samples that lie below the one that counts: 0.5 is the median. */
  readonly share: number;
}

/** As `npm run bench` measures: medians of many. */
export const FULL: Effort = {
  calls: 3_000,
  rounds: 5,
  chains: 200,
  starts: 10,
  installed: [10, 100, 1_000],
  share: 0.5,
};

/** Fewer of all, and smaller: to see whether it runs, and roughly how fast. */
export const SHORT: Effort = {
  calls: 600,
  rounds: 5,
  chains: 60,
  starts: 3,
  installed: [10, 100],
  share: 0.5,
};

/**
 * For a comparison on a machine that has other things to do. They only ever add time, and not to
 * each sample: the fastest tenth is near to what all would be without them.
 */
export const CHECK: Effort = {
  calls: 40,
  rounds: 25,
  chains: 40,
  starts: 5,
  installed: [10, 100],
  share: 0.1,
};

/** The sample that counts, of ours and of the floor, and what the one is in relation to the other. */
export function compare(
  ours: readonly number[],
  floor: readonly number[],
  share: number,
): { readonly ours: number; readonly floor: number; readonly ratio: number } {
  const [one, other] = [quantile(ours, share), quantile(floor, share)];
  return { ours: one, floor: other, ratio: one / other };
}

/** Whether more of it is better. */
export function isRate(unit: Unit): boolean {
  return unit.endsWith('/s');
}
