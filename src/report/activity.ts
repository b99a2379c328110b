import type { ActivityReport } from './report.js';
import type { Usage } from './usage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** As few bars as a person takes in. */
const MAX_BUCKETS = 48;

const SIZES: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
];

/** Use over time, in steps that give the whole period a readable number of bars. */
export function measureActivity(
  usage: Usage | undefined,
  fromMs: number,
  toMs: number,
): ActivityReport {
  const span = Math.max(0, toMs - fromMs);
  const bucketMs = SIZES.find((size) => span / size < MAX_BUCKETS) ?? Math.ceil(span / MAX_BUCKETS);
  const first = Math.floor(fromMs / bucketMs);
  const count = Math.floor(toMs / bucketMs) - first + 1;
  const tally = (times: readonly { readonly atMs: number }[]): number[] => {
    const counts = Array.from({ length: count }, () => 0);
    for (const { atMs } of times) {
      const at = Math.floor(atMs / bucketMs) - first;
      if (at >= 0 && at < count) counts[at] = (counts[at] ?? 0) + 1;
    }
    return counts;
  };
  const calls = tally(usage?.calls ?? []);
  const failed = tally((usage?.calls ?? []).filter(({ outcome }) => outcome === 'error'));
  const uses = tally(usage?.uses ?? []);
  const denied = tally(usage?.denied ?? []);
  return {
    bucketMs,
    buckets: calls.map((_, index) => ({
      from: new Date((first + index) * bucketMs).toISOString(),
      calls: calls[index] ?? 0,
      failed: failed[index] ?? 0,
      uses: uses[index] ?? 0,
      denied: denied[index] ?? 0,
    })),
  };
}
