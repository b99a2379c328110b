const LEFT = 276;
const RIGHT = 676;
/** Between a power of ten and the next, as far apart as a logarithm has them. */
const STEPS = [1, 2, 5];

/** Where on the picture a ratio stands. */
export interface Scale {
  readonly left: number;
  readonly right: number;
  readonly ticks: readonly number[];
  at(times: number): number;
}

/** A logarithmic scale that contains these figures, and the floor at one. */
export function scaleFor(times: readonly number[]): Scale {
  const all = Array.from({ length: 9 }, (_, n) => 10 ** (n - 4)).flatMap((power) =>
    STEPS.map((step) => step * power),
  );
  const [least, most] = [Math.min(1, ...times), Math.max(1, ...times)];
  const from = all.findLast((tick) => tick <= least / 1.05) ?? least;
  const to = all.find((tick) => tick >= most * 1.05) ?? most;
  const span = Math.log(to / from);
  return {
    left: LEFT,
    right: RIGHT,
    ticks: all.filter((tick) => tick >= from && tick <= to),
    at: (value) => LEFT + (Math.log(value / from) / span) * (RIGHT - LEFT),
  };
}

/** Its lines, from top to bottom, and what they stand for below. */
export function drawScale({ ticks, at }: Scale, top: number, bottom: number): string {
  // Over more than two powers of ten there is no room for each step.
  const wide = ticks.length > 8;
  return ticks
    .map((tick) => {
      const x = at(tick).toFixed(1);
      const kind = tick === 1 ? 'floor' : 'grid';
      const told =
        tick === 1 || !wide || Number.isInteger(Math.round(Math.log10(tick) * 1e6) / 1e6);
      const label = told
        ? `<text x="${x}" y="${bottom + 15}" text-anchor="middle" class="tick">${Number(tick.toPrecision(1))}×</text>`
        : '';
      return `<line class="${kind}" x1="${x}" x2="${x}" y1="${top}" y2="${bottom}"/>${label}`;
    })
    .join('');
}
