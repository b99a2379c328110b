import {
  type Counter,
  type Family,
  type Gauge,
  type Histogram,
  makeCounter,
  makeGauge,
  makeHistogram,
} from './series.js';

/** Every metric there is, in the order in which they are written. */
export interface Meters {
  readonly calls: Counter;
  readonly callSeconds: Histogram;
  readonly used: Counter;
  readonly denied: Counter;
  readonly prompts: Counter;
  readonly approvalsPending: Gauge;
  readonly approvalWait: Histogram;
  readonly hookSeconds: Histogram;
  readonly restarts: Counter;
  readonly guests: Gauge;
  readonly poolWarm: Gauge;
  readonly queued: Gauge;
}

/** From a call that only computes to one that waits for somebody else's server. */
const CALL_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** People answer in seconds, or after lunch. */
const WAIT_BOUNDS = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 900, 3600];

export function makeMeters(maxSeries: number): Meters {
  const family = (name: string, help: string, ...labels: readonly string[]): Family => ({
    name: `bulkhead_${name}`,
    help,
    labels,
    maxSeries,
  });
  return {
    calls: makeCounter(
      family('calls_total', 'Calls that ended, by how.', 'plugin', 'tool', 'outcome'),
    ),
    callSeconds: makeHistogram(
      family('call_seconds', 'How long calls took.', 'plugin', 'tool'),
      CALL_BOUNDS,
    ),
    used: makeCounter(family('used_total', 'Uses of what was granted.', 'plugin', 'permission')),
    denied: makeCounter(
      family('denied_total', 'Uses of what was not granted.', 'plugin', 'permission'),
    ),
    prompts: makeCounter(family('prompts_total', 'Questions that a person was asked.', 'plugin')),
    approvalsPending: makeGauge(family('approvals_pending', 'Calls that wait for an answer.')),
    approvalWait: makeHistogram(
      family('approval_wait_seconds', 'How long answers took.', 'verdict'),
      WAIT_BOUNDS,
    ),
    hookSeconds: makeHistogram(
      family('hook_seconds', 'How long hooks took.', 'hook', 'plugin'),
      CALL_BOUNDS,
    ),
    restarts: makeCounter(
      family('sandbox_restarts_total', 'Guests that ended badly, by why.', 'plugin', 'reason'),
    ),
    guests: makeGauge(family('sandboxes', 'Guests that hold a plugin.')),
    poolWarm: makeGauge(family('pool_warm', 'Blank guests that wait for a plugin.')),
    queued: makeGauge(family('calls_waiting', 'Calls that wait for their turn.')),
  };
}
