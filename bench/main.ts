// Measures this engine against the floor and against its peers, in one run, and prints the tables.
//
//   npm run bench                 everything; writes bench/results.json and docs/bench.svg
//   npm run bench -- --short      fewer rounds, no peers, no picture
//   npm run bench -- --check      short, and fails where a ratio is worse than in bench/baseline.json
//   npm run bench -- --keep       writes that file anew
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { findRegressions, keepRatios } from './compare.js';
import { type Comparison, comparePeers } from './peers/measure.js';
import { drawComparison } from './picture.js';
import type { Measure } from './subject.js';
import { measureAll } from './works.js';

const check = process.argv.includes('--check');
const short = check || process.argv.includes('--short');
const effort = short ? { calls: 600, starts: 3 } : { calls: 3000, starts: 10 };
const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;

const measures = await measureAll(effort);
console.log(`${machine}\n`);
print(['work', 'ours', 'floor', 'ratio', 'goal', '']);
for (const measure of measures) print(cells(measure));

if (process.argv.includes('--keep')) keepRatios(measures);
if (check) {
  // What only the noise of the machine made worse is better the next time.
  let worse = findRegressions(measures);
  for (let tries = 0; worse.length > 0 && tries < 2; tries += 1) {
    worse = findRegressions(await measureAll(effort));
  }
  console.log(worse.length === 0 ? '\nNo ratio is worse than it was.' : '\nWorse than it was:');
  for (const line of worse) console.log(`  ${line}`);
  process.exit(worse.length === 0 ? 0 : 1);
}

const comparisons = short ? [] : await comparePeers(effort.calls);
if (comparisons.length > 0) tellPeers(comparisons);
writeFileSync(
  new URL('results.json', import.meta.url),
  `${JSON.stringify({ machine, at: new Date().toISOString(), measures, comparisons }, null, 2)}\n`,
);
// Peers that run in this process may leave threads of their own behind.
process.exit(0);

function tellPeers(all: readonly Comparison[]): void {
  console.log('\nThe same work, in one run:\n');
  const widths = [30, 12, 12, 12, 16, 46];
  print(
    ['', 'cold', 'small p50', 'big p50', '100 in flight', 'what is left when it breaks'],
    widths,
  );
  for (const one of all) {
    const { name, missing, coldMs = 0, smallMicros = 0, bigMicros = 0, piped = 0 } = one;
    if (missing !== undefined) console.log(`${name.padEnd(30)} not measured: ${missing}`);
    else {
      const figures = [`${round(coldMs)} ms`, `${round(smallMicros)} µs`, `${round(bigMicros)} µs`];
      print([name, ...figures, `${round(piped)}/s`, one.containment], widths);
    }
  }
  console.log('\nPeers are installed with: npm install --prefix bench --no-save');
  writeFileSync(new URL('../docs/bench.svg', import.meta.url), drawComparison(machine, all));
}

function cells({ work, unit, ours, floor, ratio, goal, met }: Measure): string[] {
  return [
    work,
    `${round(ours)} ${unit}`,
    floor === undefined ? '–' : `${round(floor)} ${unit}`,
    ratio === undefined ? '–' : ratio.toFixed(2),
    goal,
    met ? 'met' : 'NOT MET',
  ];
}

function round(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}

function print(texts: readonly string[], widths: readonly number[] = [60, 16, 16, 7, 30, 8]): void {
  console.log(texts.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' '));
}
