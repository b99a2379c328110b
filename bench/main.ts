// Measures this engine against the floor, in one run, and prints the table.
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Measure } from './subject.js';
import { measureAll } from './works.js';

const short = process.argv.includes('--short');
const measures = await measureAll(short ? { calls: 600, starts: 3 } : { calls: 3000, starts: 10 });

const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`;
console.log(`${machine}\n`);
console.log(row(['work', 'ours', 'floor', 'ratio', 'goal', '']));
for (const measure of measures) console.log(row(cells(measure)));
console.log('\nNot measured here: peers, shared guests.');

writeFileSync(
  new URL('results.json', import.meta.url),
  `${JSON.stringify({ machine, at: new Date().toISOString(), measures }, null, 2)}\n`,
);

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

function row(texts: readonly string[]): string {
  const widths = [46, 16, 16, 7, 30, 8];
  return texts.map((text, index) => text.padEnd(widths[index] ?? 0)).join(' ');
}
