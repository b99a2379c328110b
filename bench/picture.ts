import type { Comparison } from './peers/measure.js';

const WIDTH = 720;
const ROW = 26;
const LEFT = 210;
const RIGHT = 90;

/** Bars for each way to hold code, the shorter the better; the scale is logarithmic. */
export function drawComparison(machine: string, comparisons: readonly Comparison[]): string {
  const panels = [
    { title: 'one small call, µs (p50)', read: (of: Comparison) => of.smallMicros },
    { title: 'one call with 130 kB, µs (p50)', read: (of: Comparison) => of.bigMicros },
    { title: 'from nothing to the first result, ms', read: (of: Comparison) => of.coldMs },
  ];
  const shown = comparisons.filter(({ missing }) => missing === undefined);
  const height = 60 + panels.length * (34 + shown.length * ROW);
  let y = 44;
  const body = panels.map(({ title, read }) => {
    const values = shown.map((one) => read(one) ?? 0);
    const text = drawPanel(title, shown, values, y);
    y += 34 + shown.length * ROW;
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Bulkhead and its peers on the same work">
<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2933 }
  .title { font-weight: 600 } .note { fill: #616e7c; font-size: 11px }
  .bar { fill: #9fb3c8 } .ours { fill: #0b7a75 } .floor { fill: #d9e2ec }
  @media (prefers-color-scheme: dark) {
    text { fill: #e4e7eb } .note { fill: #9aa5b1 }
    .bar { fill: #52667a } .ours { fill: #2cb1a5 } .floor { fill: #323f4b }
  }
</style>
<text x="0" y="16" class="note">${escape(machine)}. Shorter is better; the scale is logarithmic.</text>
${body.join('\n')}
</svg>
`;
}

function drawPanel(
  title: string,
  shown: readonly Comparison[],
  values: readonly number[],
  top: number,
): string {
  const smallest = Math.min(...values.filter((value) => value > 0)) / 2;
  const span = Math.log(Math.max(...values) / smallest);
  const rows = shown.map(({ name }, index) => {
    const value = values[index] ?? 0;
    const width = Math.max(2, (Math.log(value / smallest) / span) * (WIDTH - LEFT - RIGHT));
    const at = top + 12 + index * ROW;
    const kind = name === 'Bulkhead' ? 'ours' : name.startsWith('floor') ? 'floor' : 'bar';
    return `<text x="${LEFT - 10}" y="${at + 15}" text-anchor="end">${escape(name)}</text><rect class="${kind}" x="${LEFT}" y="${at}" width="${width.toFixed(1)}" height="18" rx="3"/><text x="${(LEFT + width + 8).toFixed(1)}" y="${at + 14}">${format(value)}</text>`;
  });
  return `<text x="0" y="${top}" class="title">${escape(title)}</text>\n${rows.join('\n')}`;
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
