import type { Measure } from './measure.js';
import type { Comparison } from './peers/comparison.js';

export const MEASURE_HEADS: readonly string[] = ['work', 'ours', 'floor', 'ratio', 'goal', ''];

const WIDTHS = [62, 16, 16, 7, 32, 12];

/** Prints lines of the table; without any, its head. */
export function tellMeasures(measures?: readonly Measure[]): void {
  if (measures === undefined) print(MEASURE_HEADS, WIDTHS);
  for (const measure of measures ?? []) print(measureCells(measure), WIDTHS);
}

export function measureCells({
  work,
  unit,
  ours,
  floor,
  ratio,
  goal,
  met,
  missing,
}: Measure): string[] {
  const figure = (value: number | undefined): string =>
    value === undefined || missing !== undefined ? '–' : `${round(value)} ${unit}`;
  const unjudged = missing === undefined ? 'not judged' : 'not measured';
  const verdict = met === undefined ? unjudged : met ? 'met' : 'NOT MET';
  return [
    work,
    figure(ours),
    figure(floor),
    ratio === undefined ? '–' : ratio.toFixed(2),
    goal ?? '–',
    goal === undefined ? '' : verdict,
  ];
}

export const PEER_HEADS: readonly string[] = [
  '',
  'cold',
  'small p50',
  'p99',
  'big p50',
  'in flight',
  'memory',
  'fib',
  'floors',
  'isolation',
];

const PEER_WIDTHS = [44, 9, 17, 9, 17, 10, 9, 9, 9, 40];

/** Prints what the same work takes in other hands, each figure beside the floor of its own Node. */
export function tellComparisons(all: readonly Comparison[]): void {
  console.log('\nThe same work in other hands, (×) against the floor on the same Node:\n');
  for (const cells of [PEER_HEADS, ...peerCells(all)]) print(cells, PEER_WIDTHS);
}

/** A line for each that was measured. */
export function peerCells(all: readonly Comparison[]): string[][] {
  return all.flatMap(({ name, node, figures, isolation }) => {
    if (figures === undefined) return [];
    const floor = all.find((one) => one.isFloor && node === one.node)?.figures;
    const times = (value: number, bare: number | undefined): string =>
      bare === undefined ? '' : ` (${(value / bare).toFixed(2)})`;
    const { coldMs, smallMicros, smallP99Micros, bigMicros, perSecond, memoryKb } = figures;
    return [
      [
        `${name}, Node ${node}`,
        `${round(coldMs)} ms`,
        `${round(smallMicros)} µs${times(smallMicros, floor?.smallMicros)}`,
        `${round(smallP99Micros)} µs`,
        `${round(bigMicros)} µs${times(bigMicros, floor?.bigMicros)}`,
        `${round(perSecond / 1000)}k/s`,
        memoryKb === undefined ? '–' : `${round(memoryKb / 1024)} MB`,
        `${figures.fibTimes.toFixed(2)}×`,
        `${figures.floorsTimes.toFixed(2)}×`,
        isolation,
      ],
    ];
  });
}

function round(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 1 ? 1 : 2);
}

function print(texts: readonly string[], widths: readonly number[]): void {
  console.log(
    texts
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join(' ')
      .trimEnd(),
  );
}
