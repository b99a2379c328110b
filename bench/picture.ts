import type { Results } from './full.js';
import type { Comparison, Figures } from './peers/comparison.js';
import { drawScale, type Scale, scaleFor } from './scale.js';

const WIDTH = 860;
const ROW = 22;
const HEAD = 30;
const FOOT = 38;
const TOP = 104;

/** What is drawn of each figure: the lower, the better. */
const PANELS: readonly Panel[] = [
  { title: 'One small call', unit: 'µs', read: (of) => of.smallMicros },
  { title: 'One call with 130 kB', unit: 'µs', read: (of) => of.bigMicros },
  { title: 'One of 100 small calls in flight', unit: 'µs', read: (of) => 1e6 / of.perSecond },
  { title: 'From nothing to the first result', unit: 'ms', read: (of) => of.coldMs },
  { title: 'Memory of one more', unit: 'MB', read: (of) => (of.memoryKb ?? Number.NaN) / 1024 },
];

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly read: (figures: Figures) => number;
}

interface Dot {
  readonly label: string;
  readonly kind: string;
  readonly value: number;
  readonly times: number;
}

/** Dots for each way to isolate code, relative to a bare pipe on the same Node. */
export function drawComparison({ machine, at, comparisons }: Results): string {
  const floors = comparisons.filter(({ isFloor }) => isFloor);
  const shown = comparisons.filter(({ isFloor, figures }) => !isFloor && figures !== undefined);
  const panels = PANELS.map(({ title, unit, read }) => {
    const dots = shown.flatMap((one) => makeDot(one, floors, read));
    const bare = floors.map(({ node, figures }) =>
      figures === undefined ? '' : `${format(read(figures))} ${unit} on ${major(node)}`,
    );
    return { title, unit, dots, floor: bare.join(', ') };
  }).filter(({ dots }) => dots.length > 0);
  // One scale for all calls, so that their panels can be held against each other.
  const calls = scaleFor(panels.filter(({ unit }) => unit === 'µs').flatMap(timesOf));
  let y = TOP;
  const body = panels.map((panel) => {
    const scale = panel.unit === 'µs' ? calls : scaleFor(timesOf(panel));
    const text = drawPanel(panel, scale, y);
    y += HEAD + panel.dots.length * ROW + FOOT;
    return text;
  });
  const height = y - 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
<title id="title">What Bulkhead and its peers take for the same work, in relation to a bare pipe</title>
${STYLE}
<rect class="ground" width="${WIDTH}" height="${height}" rx="8"/>
<text x="24" y="34" class="head">The same tool, held in different ways</text>
<text x="24" y="54" class="note">Each against an echo over a bare pipe, with no sandbox, on the same Node in the same run. Further left is better; scales are logarithmic.</text>
<text x="24" y="71" class="note">${escape(`${machine}, ${at.slice(0, 10)}. Medians of one run of npm run bench.`)}</text>
<circle class="ours" cx="30" cy="88" r="5"/><circle class="own" cx="44" cy="88" r="5"/><text x="56" y="92" class="note">in a process of its own, which the host outlives</text>
<circle class="inside" cx="356" cy="88" r="4.5"/><text x="368" y="92" class="note">inside the host's process</text>
${body.join('\n')}
</svg>
`;
}

function makeDot(
  { name, node, ownProcess, figures }: Comparison,
  floors: readonly Comparison[],
  read: Panel['read'],
): readonly Dot[] {
  const floor = floors.find((one) => one.node === node)?.figures;
  if (figures === undefined || floor === undefined) return [];
  const value = read(figures);
  const times = value / read(floor);
  if (!Number.isFinite(times) || times <= 0) return [];
  const kind = name === 'Bulkhead' ? 'ours' : ownProcess ? 'own' : 'inside';
  return [{ label: `${name} · ${major(node)}`, kind, value, times }];
}

function drawPanel(
  { title, unit, dots, floor }: Omit<Panel, 'read'> & { dots: readonly Dot[]; floor: string },
  scale: Scale,
  top: number,
): string {
  const rows = dots.map(({ label, kind, value, times }, index) => {
    const y = top + HEAD + index * ROW + ROW / 2;
    const [from, to] = [scale.at(1), scale.at(times)];
    const strong = kind === 'ours' ? ' class="strong"' : '';
    return `<text x="${scale.left - 14}" y="${y + 4}" text-anchor="end"${strong}>${escape(label)}</text><line class="stem ${kind}" x1="${px(from)}" x2="${px(to)}" y1="${y}" y2="${y}"/><circle class="${kind}" cx="${px(to)}" cy="${y}" r="${kind === 'inside' ? 4.5 : 5}"/><text x="${scale.right + 74}" y="${y + 4}" text-anchor="end"${strong}>${format(times)}×</text><text x="${WIDTH - 24}" y="${y + 4}" text-anchor="end" class="figure">${format(value)} ${unit}</text>`;
  });
  const bottom = top + HEAD + dots.length * ROW;
  return `<text x="24" y="${top + 18}" class="title">${escape(title)}</text><text x="${WIDTH - 24}" y="${top + 18}" text-anchor="end" class="note">bare pipe: ${escape(floor)}</text>
${drawScale(scale, top + HEAD, bottom)}
${rows.join('\n')}`;
}

function timesOf({ dots }: { readonly dots: readonly Dot[] }): readonly number[] {
  return dots.map(({ times }) => times);
}

function major(node: string): string {
  return `Node ${node.split('.')[0]}`;
}

function format(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  if (value >= 1) return value.toFixed(value >= 10 ? 0 : 1);
  return String(Number(value.toPrecision(value >= 0.1 ? 2 : 1)));
}

function px(value: number): string {
  return value.toFixed(1);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLE = `<style>
  text { font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #24292f }
  .ground { fill: #ffffff } .head { font-size: 17px; font-weight: 600 }
  .title, .strong { font-weight: 600 } .note, .figure { fill: #57606a } .note, .tick { font-size: 11.5px }
  .tick { fill: #6e7781 } .grid { stroke: #e4e8ec } .floor { stroke: #8c959f; stroke-dasharray: 3 3 }
  .stem { stroke-width: 2; opacity: .45 } circle { stroke-width: 2 }
  .ours { fill: #0a7d74; stroke: #0a7d74 } .own { fill: #6e7f91; stroke: #6e7f91 }
  .inside { fill: #ffffff; stroke: #6e7f91 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .ground { fill: #0d1117 } .note, .figure { fill: #9198a1 }
    .tick { fill: #848d97 } .grid { stroke: #232a33 } .floor { stroke: #6e7681 }
    .ours { fill: #2cc7b5; stroke: #2cc7b5 } .own { fill: #8d9bab; stroke: #8d9bab }
    .inside { fill: #0d1117; stroke: #8d9bab }
  }
</style>`;
