import type { ActivityBucket, ActivityReport } from '../report.js';
import { duration, moment, plural } from '../words.js';
import { drawBars } from './bars.js';
import { html, type Markup } from './markup.js';
import { table } from './tables.js';

/** Calls over time as bars, refused attempts as marks on top, and both as a table. */
export function activityChart({ bucketMs, buckets }: ActivityReport, id: string): Markup {
  const total = sum(buckets, 'calls');
  const refused = sum(buckets, 'denied');
  if (total + refused === 0) return html`<p class="muted">Nothing happened in this period.</p>`;
  const words = `${plural(total, 'call')}, ${sum(buckets, 'failed')} of them failed, and ${plural(refused, 'refused attempt')}, in steps of ${duration(bucketMs)}.`;
  return html`<figure>
    ${drawBars({ bucketMs, buckets }, { width: 1_000, look: 'wide', id: `${id}-w`, words })}
    ${drawBars({ bucketMs, buckets }, { width: 340, look: 'narrow', id: `${id}-n`, words })}
    <figcaption>
      <span class="key"
        ><svg viewBox="0 0 16 12" aria-hidden="true">
          <rect class="bar" width="16" height="12" rx="2" /></svg
        >calls</span
      >
      <span class="key"
        ><svg viewBox="0 0 16 12" aria-hidden="true">
          <rect class="ground" width="16" height="12" rx="2" />
          <path class="stripe" d="M0 12L12 0M6 14L18 2" /></svg
        >failed</span
      >
      <span class="key"
        ><svg viewBox="0 0 16 12" aria-hidden="true"><path class="mark" d="M8 1l5 9H3z" /></svg
        >refused attempts</span
      >
      <span>each bar is ${duration(bucketMs)}</span>
    </figcaption>
    <details>
      <summary>The same as a table</summary>
      ${table(
        `Use over time, in steps of ${duration(bucketMs)}`,
        [
          { title: 'From', cell: ({ from }) => moment(from), as: 'head' },
          { title: 'Calls', cell: ({ calls }) => String(calls), as: 'num' },
          { title: 'Failed', cell: ({ failed }) => String(failed), as: 'num' },
          { title: 'Uses of permissions', cell: ({ uses }) => String(uses), as: 'num' },
          { title: 'Refused', cell: ({ denied }) => String(denied), as: 'num' },
        ],
        buckets.filter(({ calls, uses, denied }) => calls + uses + denied > 0),
      )}
    </details>
  </figure>`;
}

function sum(buckets: readonly ActivityBucket[], key: 'calls' | 'failed' | 'denied'): number {
  return buckets.reduce((total, bucket) => total + bucket[key], 0);
}
