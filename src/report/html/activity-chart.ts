import type { ActivityBucket, ActivityReport } from '../report.js';
import { duration, moment, plural } from '../words.js';
import { type Markup, html, table } from './markup.js';

/** Calls over time as bars, denied attempts as marks on top, and both as a table. */
export function activityChart({ bucketMs, buckets }: ActivityReport, id: string): Markup {
  const total = sum(buckets, 'calls');
  const refused = sum(buckets, 'denied');
  if (total + refused === 0)
    return html`<p class="muted">No calls and no denied attempts in this period.</p>`;
  const failures = sum(buckets, 'failed');
  const active = buckets.filter(({ calls, denied }) => calls + denied > 0);
  const [only] = active;
  // A single bar shows no course over time.
  if (active.length === 1 && only !== undefined) {
    return html`<p class="single">
      <strong>${total}</strong>
      ${total === 1 ? 'call' : 'calls'}${failures > 0 && `, ${failures} of them failed`}${refused > 0 && `, ${plural(refused, 'denied attempt')}`},
      within ${duration(bucketMs)} from ${moment(only.from)}.
    </p>`;
  }
  const words = `${plural(total, 'call')}, ${failures} of them failed, and ${plural(refused, 'denied attempt')}, in steps of ${duration(bucketMs)}.`;
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
        >denied attempts</span
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
          { title: 'Denied', cell: ({ denied }) => String(denied), as: 'num' },
        ],
        buckets.filter(({ calls, uses, denied }) => calls + uses + denied > 0),
      )}
    </details>
  </figure>`;
}

function sum(buckets: readonly ActivityBucket[], key: 'calls' | 'failed' | 'denied'): number {
  return buckets.reduce((total, bucket) => total + bucket[key], 0);
}

const HEIGHT = 150;
const LEFT = 40;
const BOTTOM = 26;
const TOP = 16;
const DAY_MS = 86_400_000;

export interface Drawing {
  readonly width: number;
  /** On which screens it is shown. */
  readonly look: 'wide' | 'narrow';
  readonly id: string;
  /** The drawing in words. */
  readonly words: string;
}

/** A bar for each step of time: calls, failed calls on top, and marks for denied attempts. */
export function drawBars(
  { bucketMs, buckets }: ActivityReport,
  { width, look, id, words }: Drawing,
): Markup {
  const top = niceTop(Math.max(...buckets.map(({ calls }) => calls), 1));
  const step = (width - LEFT) / buckets.length;
  return html`<svg
    class="${look}"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-labelledby="${id}"
  >
    <title id="${id}">${words}</title>
    ${frame(top, width)} ${buckets.map((bucket, index) => bar(bucket, index, step, top))}
    ${axis(buckets, step, { width, bucketMs })}
  </svg>`;
}

function frame(top: number, width: number): Markup {
  const y = (value: number): number => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  return html`${[0, top / 2, top].map(
    (value) =>
      html`<path class="grid" d="M${LEFT} ${y(value)}H${width}" />
        <text class="small" x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`,
  )}`;
}

function bar(
  { calls, failed, denied }: ActivityBucket,
  index: number,
  step: number,
  top: number,
): Markup {
  const scale = (HEIGHT - TOP - BOTTOM) / top;
  const width = round(Math.min(46, step * 0.72));
  const x = round(LEFT + index * step + (step - width) / 2);
  const ground = HEIGHT - BOTTOM;
  const whole = round(calls * scale);
  const bad = round(failed * scale);
  return html`${calls > 0 && html`<rect class="bar" x="${x}" y="${round(ground - whole)}" width="${width}" height="${whole}" rx="3" />`}
  ${failed > 0 && html`<rect class="bar failed" x="${x}" y="${round(ground - whole)}" width="${width}" height="${bad}" rx="3" />`}
  ${denied > 0 && html`<path class="mark" d="M${round(x + width / 2)} ${round(ground - whole - 13)}l6 10h-12z" />`}`;
}

function axis(
  buckets: readonly ActivityBucket[],
  step: number,
  { width, bucketMs }: { readonly width: number; readonly bucketMs: number },
): Markup[] {
  const last = buckets.length - 1;
  const shown = width < 500 ? [0, last] : [0, Math.floor(last / 2), last];
  const digits = bucketMs >= DAY_MS ? 10 : 16;
  return [...new Set(shown)].map((index) => {
    const at = index === 0 ? 'start' : index === last ? 'end' : 'middle';
    const x = at === 'start' ? LEFT : at === 'end' ? width : round(LEFT + (index + 0.5) * step);
    return html`<text class="small" x="${x}" y="${HEIGHT - 6}" text-anchor="${at}"
      >${moment(buckets[index]?.from ?? '').slice(0, digits)}</text
    >`;
  });
}

/** The next round number whose half is round too. */
function niceTop(most: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 2, 4, 6, 8, 10].map((factor) => factor * magnitude);
  return Math.max(2, steps.find((step) => step >= most) ?? most);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The pattern of bars of failed calls: once for the page. */
export const STRIPES: Markup = html`<svg class="defs" aria-hidden="true">
  <defs>
    <pattern
      id="stripes"
      width="6"
      height="6"
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect class="ground" width="6" height="6" />
      <path class="stripe" d="M0 0V6" />
    </pattern>
  </defs>
</svg>`;
