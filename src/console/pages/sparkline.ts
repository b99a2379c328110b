import { type Markup, html } from '../../report/html/markup.js';

const HEIGHT = 36;
const STEP = 6;

/** Calls in each of the last minutes, as bars. Its text says the same. */
export function sparkline(perMinute: readonly number[]): Markup {
  const most = Math.max(...perMinute, 0);
  const total = perMinute.reduce((sum, one) => sum + one, 0);
  if (total === 0) return html`<p class="meta">None.</p>`;
  const width = perMinute.length * STEP;
  return html`<svg
    class="spark"
    viewBox="0 0 ${width} ${HEIGHT}"
    role="img"
    aria-label="${total} calls in ${perMinute.length} minutes, at most ${most} in one minute"
  >
    ${perMinute.map((count, index) => {
      if (count === 0) return false;
      const tall = Math.max(2, Math.round((count / most) * HEIGHT));
      return html`<rect
        class="mark-call"
        x="${index * STEP}"
        y="${HEIGHT - tall}"
        width="${STEP - 1}"
        height="${tall}"
      />`;
    })}
  </svg>`;
}
